// What people get wrong and what machines do: one sentence, exit code 2 (130 for Ctrl-C), and
// nothing written or overwritten.
#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>

#include "tests/cli/vestige.h"
#include "tests/support/evidence_folder.h"
#include "vestige/base/file.h"
#include "vestige/base/json.h"

namespace vestige {
namespace {

namespace fs = std::filesystem;
using evidence::DType;
using testing::array_of;
using testing::EvidenceFolder;
using testing::EvidenceShape;
using testing::Finished;
using testing::ProcessOptions;
using testing::refuses;
using testing::TemporaryFolder;

constexpr uid_t kNobody = 65534;

/// Root may read and write anything, so permissions are tried as nobody.
void become_nobody() {
  if (::geteuid() != 0) return;
  const gid_t group = kNobody;
  if (::setgroups(1, &group) != 0 || ::setgid(group) != 0 || ::setuid(kNobody) != 0) ::_exit(125);
}

class BadInput : public ::testing::Test {
 protected:
  explicit BadInput(
      EvidenceShape shape = {.classes = 3, .models = 4, .forget = 12, .retain = 20, .test = 15})
      : folder(shape) {
    fs::permissions(folder.path().parent_path(), fs::perms(0755));
  }

  std::string out() const { return (results / "out").string(); }

  Finished audit(std::vector<std::string> more = {}, const ProcessOptions& options = {}) const {
    std::vector<std::string> arguments = {"audit", folder.path().string(), "--out", out()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return testing::vestige(arguments, options);
  }

  void expect_refused(std::initializer_list<std::string_view> parts) const {
    EXPECT_TRUE(refuses(audit(), parts));
    EXPECT_FALSE(fs::exists(out())) << "nothing may be written";
  }

  EvidenceFolder folder;
  TemporaryFolder results;
};

TEST_F(BadInput, NoSuchFolder) {
  fs::remove_all(folder.path());
  expect_refused({"does not exist", "evidence folder"});
}

TEST_F(BadInput, EmptyFolder) {
  fs::remove_all(folder.path());
  fs::create_directory(folder.path());
  expect_refused({"is empty", "original/0/forget.npy"});
}

TEST_F(BadInput, TruncatedFile) {
  const std::string whole = read_file(folder / "original/1/forget.npy");
  folder.put_file("original/1/forget.npy", whole.substr(0, whole.size() / 2));
  expect_refused({"original/1/forget.npy"});
}

TEST_F(BadInput, NotANumber) {
  folder.change("original/1/forget", [](auto& values) { values[4] = std::nan(""); });
  expect_refused({"original/1/forget.npy has 1 NaN", "row 1", "export again"});
}

TEST_F(BadInput, WrongShape) {
  folder.put("original/1/forget", array_of(DType::float32, std::vector<double>(36), {36}));
  expect_refused({"original/1/forget.npy has shape [36]", "[examples, classes]"});
}

TEST_F(BadInput, WrongRowCount) {
  folder.put("original/1/forget", array_of(DType::float32, std::vector<double>(33), {11, 3}));
  expect_refused({"original/1/forget.npy has 11 rows", "labels/forget has 12"});
}

TEST_F(BadInput, LabelsOutOfRange) {
  folder.change("labels/test", [](auto& labels) { labels[3] = 3; });
  expect_refused({"labels/test.npy has label 3 in row 3", "from 0 to 2"});
}

// One class is unusual, not wrong: what has no answer is undefined, and says so.
TEST_F(BadInput, OneClassOnly) {
  for (const char* split : {"forget", "retain", "test", "calibration", "shadow_train"}) {
    const std::size_t rows = folder.array(std::string("labels/") + split).rows();
    folder.put_labels(split, std::vector<std::int64_t>(rows, 1));
  }
  const Finished done = audit();
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(testing::holds(done.out, {"about the evidence", "holds only class 1"}));
  const Json json = Json::parse(read_file(out() + "/results.json"));
  for (const Json& row : json["results"]) {
    if (!row["value"].is_null()) continue;
    EXPECT_FALSE(row["notes"].empty()) << row["metric"];
  }
}

TEST_F(BadInput, UnknownMetric) {
  EXPECT_TRUE(refuses(audit({"--metrics", "utlity"}), {"\"utlity\"", "\"utility\""}));
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(BadInput, MetricThatTheEvidenceCannotGive) {
  for (int model = 0; model < 4; ++model) {
    for (const char* split : {"forget", "retain", "test", "calibration"}) {
      folder.remove(fmt::format("retrained/{}/{}", model, split));
    }
  }
  EXPECT_TRUE(
      refuses(audit({"--metrics", "epsilon"}), {"epsilon cannot be measured", "retrained"}));
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(BadInput, UnreadableFolder) {
  fs::permissions(results.path(), fs::perms(0777));
  fs::permissions(folder / "original/0", fs::perms::none);
  EXPECT_TRUE(refuses(audit({}, {.in_child = become_nobody}),
                      {"cannot read the folder", "original/0", "permissions"}));
  fs::permissions(folder / "original/0", fs::perms(0755));
  fs::permissions(folder.path(), fs::perms::none);
  EXPECT_TRUE(refuses(audit({}, {.in_child = become_nobody}), {"cannot read", "evidence"}));
  fs::permissions(folder.path(), fs::perms(0755));
  EXPECT_FALSE(fs::exists(out()));
}

#ifdef VESTIGE_WITH_LAB
// What lies in a folder that may not be entered cannot be read; whether it exists nobody can say.
TEST_F(BadInput, UnreadablePoolAndData) {
  fs::create_directory(results / "closed");
  fs::permissions(results.path(), fs::perms(0755));
  fs::permissions(results / "closed", fs::perms(0700));
  EXPECT_TRUE(refuses(
      testing::vestige({"models", (results / "closed/pool").string()}, {.in_child = become_nobody}),
      {"closed/pool cannot be read", "permissions"}));
  EXPECT_TRUE(refuses(testing::vestige({"models", (results / "none").string()}),
                      {"there is no pool in", "vestige train"}));
  const std::string data = (results / "closed/mnist").string();
  write_file(results / "recipe.toml", "data = { name = \"mnist\", path = \"" + data + "\" }\n");
  fs::permissions(results / "recipe.toml", fs::perms(0644));
  EXPECT_TRUE(refuses(
      testing::vestige({"split", (results / "recipe.toml").string()}, {.in_child = become_nobody}),
      {"closed/mnist", "cannot be read", "permissions"}));
}
#endif

TEST_F(BadInput, UnreadableFile) {
  fs::permissions(results.path(), fs::perms(0777));
  fs::permissions(folder / "original/0/forget.npy", fs::perms::none);
  EXPECT_TRUE(refuses(audit({}, {.in_child = become_nobody}), {"original/0/forget.npy"}));
  EXPECT_FALSE(fs::exists(out()));
}

TEST_F(BadInput, NoPermissionToWrite) {
  fs::permissions(results.path(), fs::perms(0555));
  EXPECT_TRUE(refuses(audit({}, {.in_child = become_nobody}), {"out", "choose another --out"}));
  EXPECT_FALSE(fs::exists(out()));
  fs::create_directory(out());
  fs::permissions(out(), fs::perms(0555));
  EXPECT_TRUE(refuses(audit({}, {.in_child = become_nobody}), {"cannot write to", "--out"}));
  EXPECT_TRUE(fs::is_empty(out()));
}

TEST_F(BadInput, ResultsAreNotOverwrittenWithoutForce) {
  fs::create_directory(out());
  write_file(out() + "/results.json", "precious");
  EXPECT_TRUE(refuses(audit(), {"not empty", "--force"}));
  EXPECT_EQ(read_file(out() + "/results.json"), "precious");
  EXPECT_EQ(testing::listing(out()), (std::vector<std::string>{"results.json"}));
  write_file(out() + "/other.txt", "mine");
  EXPECT_EQ(audit({"--force"}).code, 0);
  EXPECT_NE(read_file(out() + "/results.json"), "precious");
  EXPECT_EQ(read_file(out() + "/other.txt"), "mine") << "only results are replaced";
}

// Bad evidence and --force together: the old results stay.
TEST_F(BadInput, ForceDoesNotLoseOldResults) {
  fs::create_directory(out());
  write_file(out() + "/results.json", "precious");
  folder.change("labels/test", [](auto& labels) { labels[3] = 3; });
  EXPECT_TRUE(refuses(audit({"--force"}), {"labels/test.npy"}));
  EXPECT_EQ(read_file(out() + "/results.json"), "precious");
}

TEST_F(BadInput, OutIsAFile) {
  write_file(out(), "precious");
  EXPECT_TRUE(refuses(audit(), {"is a file", "folder"}));
  EXPECT_TRUE(refuses(audit({"--force"}), {"is a file"}));
  EXPECT_EQ(read_file(out()), "precious");
}

TEST_F(BadInput, FileSizeLimit) {
  const auto limit = [] {
    const rlimit most{4096, 4096};
    if (::setrlimit(RLIMIT_FSIZE, &most) != 0) ::_exit(125);
  };
  const std::vector<std::string> quick = {"--metrics", "utility"};
  EXPECT_TRUE(
      refuses(audit(quick, {.in_child = limit}), {"cannot write", "results.json", "space"}));
  EXPECT_FALSE(fs::exists(out()));
  fs::create_directory(out());
  write_file(out() + "/results.json", "precious");
  EXPECT_TRUE(
      refuses(audit({"--force", "--metrics", "utility"}, {.in_child = limit}), {"cannot write"}));
  EXPECT_EQ(read_file(out() + "/results.json"), "precious");
  EXPECT_EQ(testing::listing(out()), (std::vector<std::string>{"results.json"}));
}

TEST_F(BadInput, FullDisk) {
  const std::string disk = (results / "disk").string();
  fs::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=16k") != 0) {
    GTEST_SKIP() << "mounting a small file system is not allowed here";
  }
  const Finished done = testing::vestige(
      {"audit", folder.path().string(), "--out", disk + "/out", "--metrics", "utility"});
  const std::vector<std::string> left = testing::listing(disk);
  ::umount(disk.c_str());
  EXPECT_TRUE(refuses(done, {"cannot write", "No space left", "free the space"}));
  EXPECT_TRUE(left.empty());
}

TEST_F(BadInput, StandardOutputIsFull) {
  const auto to_full = [](std::vector<std::string> arguments) {
    return testing::vestige(arguments, {.stdout_file = "/dev/full"});
  };
  const std::string path = folder.path().string();
  // Short output fails when it is flushed, long output while it is printed.
  EXPECT_TRUE(refuses(to_full({"--help"}), {"standard output"}));
  EXPECT_TRUE(refuses(to_full({"completion"}), {"standard output"}));
  EXPECT_TRUE(refuses(to_full({"audit", path, "--metrics", "utility", "--json", "-"}),
                      {"standard output"}));
  EXPECT_TRUE(refuses(to_full({"audit", path, "--metrics", "utility"}), {"standard output"}));
  EXPECT_TRUE(refuses(to_full({"inspect", path}), {"standard output"}));
}

// Nowhere to complain: still the exit code, no abort.
TEST_F(BadInput, StandardErrorIsFull) {
  const Finished done = testing::vestige({"audit", (folder / "nowhere").string()}, {.in_child = [] {
                                           const int full =
                                               ::open("/dev/full", O_WRONLY | O_CLOEXEC);
                                           if (::dup2(full, 2) < 0) ::_exit(125);
                                         }});
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.signal, 0);
}

/// Rows enough for an audit that can be interrupted.
class LongAudit : public BadInput {
 protected:
  LongAudit()
      : BadInput({.classes = 3, .models = 4, .forget = 4000, .retain = 4000, .test = 4000}) {}
};

/// Long enough to be interrupted: as many bootstrap experiments as may be asked for.
const std::vector<std::string> kLong = {"--epsilon-setup", "bootstrap", "--epsilon-experiments",
                                        "10000"};

/// Sends `signal` once the audit has begun.
std::function<void(pid_t)> send_when_begun(const std::string& out, int signal,
                                           std::chrono::milliseconds wait) {
  return [out, signal, wait](pid_t child) {
    for (int tries = 0; tries < 2000 && !fs::exists(out); ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::this_thread::sleep_for(wait);
    ::kill(child, signal);
  };
}

TEST_F(LongAudit, CtrlC) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto start = std::chrono::steady_clock::now();
    const Finished done =
        audit(kLong, {.while_running = send_when_begun(out(), signal, std::chrono::seconds(1))});
    const auto seconds = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(done.code, 130);
    EXPECT_EQ(done.err, "vestige: interrupted; nothing was written\n");
    EXPECT_EQ(done.out, "");
    EXPECT_FALSE(fs::exists(out()));
    EXPECT_LT(seconds, std::chrono::seconds(20)) << "it must stop soon";
  }
}

TEST_F(LongAudit, CtrlCKeepsOldResults) {
  fs::create_directory(out());
  write_file(out() + "/results.json", "precious");
  std::vector<std::string> arguments = kLong;
  arguments.push_back("--force");
  const Finished done =
      audit(arguments, {.while_running = send_when_begun(out(), SIGINT, std::chrono::seconds(1))});
  EXPECT_EQ(done.code, 130);
  EXPECT_EQ(read_file(out() + "/results.json"), "precious");
  EXPECT_EQ(testing::listing(out()), (std::vector<std::string>{"results.json"}));
}

// A killed run leaves nothing that could be taken for results; the next run just works.
TEST_F(BadInput, KillMinusNine) {
  for (const int milliseconds : {0, 1, 2, 5, 10, 20, 40, 80}) {
    const Finished done = audit({"--force", "--threads", "1"},
                                {.while_running = send_when_begun(
                                     out(), SIGKILL, std::chrono::milliseconds(milliseconds))});
    EXPECT_TRUE(done.signal == SIGKILL || done.code == 0);
    if (fs::exists(out() + "/samples.csv")) {
      const Json json = Json::parse(read_file(out() + "/results.json"));
      EXPECT_EQ(json["schema"], 2);
    }
    if (fs::exists(out() + "/results.json")) {
      EXPECT_FALSE(Json::parse(read_file(out() + "/results.json")).empty());
    }
    fs::remove_all(out());
  }
  fs::create_directory(out());  // what a run killed while it was measuring leaves behind
  EXPECT_EQ(audit().code, 0);
}

}  // namespace
}  // namespace vestige
