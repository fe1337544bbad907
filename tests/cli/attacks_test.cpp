// Attacks on the program as a whole: every one ends with a sentence and an exit code, in seconds.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/cli/vestige.h"
#include "tests/support.h"
#include "tests/support/evidence_folder.h"
#include "vestige/base/file.h"

namespace vestige {
namespace {

namespace fs = std::filesystem;
using testing::Finished;
using testing::refuses;

std::string times(const std::string& text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

class Attacks : public ::testing::Test {
 protected:
  std::string put(const std::string& name, const std::string& text) const {
    write_file(folder / name, text);
    return (folder / name).string();
  }
  testing::TemporaryFolder folder;
};

TEST_F(Attacks, DeepNestingInEveryFormatIsRefused) {
  constexpr std::size_t kLevels = 200'000;
  const std::string lists = times("[", kLevels) + times("]", kLevels);
  const std::string results =
      put("results.json", "{\"schema\": 3, \"results\": [], \"evidence\": {\"a\": " + lists + "}}");
  for (const char* verb : {"report", "gate"}) {
    EXPECT_TRUE(refuses(testing::vestige({verb, results}), {"nested too deeply"})) << verb;
  }
  EXPECT_TRUE(refuses(
      testing::vestige({"ledger", put("ledger.jsonl", "{\"entry\": 1, \"a\": " + lists + "}\n")}),
      {"line 1"}));
  const std::string keys = "a" + times(".a", kLevels) + " = 1\n";
  EXPECT_TRUE(refuses(testing::vestige({"gate", results, put("policy.toml", keys)}), {"parts"}));
  const testing::EvidenceFolder evidence{testing::EvidenceShape{
      .classes = 3, .models = 1, .shadows = 0, .forget = 30, .retain = 30, .test = 40}};
  write_file(evidence.path() / "evidence.toml", keys);
  EXPECT_TRUE(refuses(testing::vestige({"audit", evidence.path().string()}), {"parts"}));
  write_file(evidence.path() / "evidence.toml", "");
  write_file(evidence.path() / "accuracy.json", lists);
  EXPECT_EQ(testing::vestige({"audit", evidence.path().string()}).code, 2);
  const std::string header =
      "{\"a\": {\"dtype\": \"F32\", \"data_offsets\": [0, 0], \"shape\": " + lists + "}}";
  std::string file(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) file[i] = static_cast<char>(header.size() >> (8 * i));
  EXPECT_TRUE(refuses(testing::vestige({"inspect", put("x.safetensors", file + header)}),
                      {"nested too deeply"}));
}

TEST_F(Attacks, ManyDimensionsAreRefused) {
  const std::string header =
      "{\"a\": {\"dtype\": \"F32\", \"data_offsets\": [0, 4], \"shape\": [1" +
      times(", 1", 100'000) + "]}}";
  std::string file(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) file[i] = static_cast<char>(header.size() >> (8 * i));
  EXPECT_TRUE(refuses(testing::vestige({"inspect", put("x.safetensors", file + header + "1234")}),
                      {"more than 64 dimensions"}));
}

TEST_F(Attacks, OptionsWithoutEndAreRefused) {
  const testing::EvidenceFolder evidence{testing::EvidenceShape{
      .classes = 3, .models = 1, .shadows = 0, .forget = 30, .retain = 30, .test = 40}};
  for (const char* option :
       {"--iam-levels", "--sde-shuffles", "--klom-bins", "--sde-subsets", "--kernel-test-rows",
        "--smi-replicates", "--miau-seeds", "--representation-neighbours"}) {
    EXPECT_TRUE(refuses(testing::vestige({"audit", evidence.path().string(), option, "1000000000"}),
                        {"must lie between"}))
        << option;
  }
}

TEST_F(Attacks, EscapeSequencesOfNamesDoNotReachTheTerminal) {
  const Finished missing = testing::vestige({"audit", (folder / "\x1b[2Jx").string()});
  EXPECT_EQ(missing.code, 2);
  EXPECT_EQ(missing.err.find('\x1b'), std::string::npos) << missing.err;
  const std::string results = put(
      "results.json",
      R"({"schema": 3, "results": [], "verdicts": [{"method": "a\nb: FORGOTTEN", "word": "mixed"}]})");
  EXPECT_TRUE(refuses(testing::vestige({"report", results}), {"control characters"}));
}

TEST_F(Attacks, ADeviceIsWrittenToAndNotReplaced) {
  const testing::EvidenceFolder evidence{testing::EvidenceShape{
      .classes = 3, .models = 1, .shadows = 0, .forget = 30, .retain = 30, .test = 40}};
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string heard;
  std::thread reader([&] { heard = read_file(pipe); });
  const Finished audit =
      testing::vestige({"audit", evidence.path().string(), "--quiet", "--metrics",
                        "holdout_gap,utility", "--fail-on", "under", "--junit", pipe.string()});
  reader.join();
  EXPECT_TRUE(audit.code == 0 || audit.code == 3) << audit.err;
  EXPECT_TRUE(heard.starts_with("<?xml")) << heard.substr(0, 40);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

// Ctrl-C while several threads work: never a crash, and never half a result.
TEST_F(Attacks, CtrlCAtAnyTimeEndsTheAudit) {
  const testing::EvidenceFolder evidence{testing::EvidenceShape{
      .classes = 3, .models = 1, .shadows = 0, .forget = 30, .retain = 30, .test = 40}};
  int interrupted = 0;
  for (int time = 0; time < 10; ++time) {
    const Finished audit =
        testing::vestige({"audit", evidence.path().string(), "--quiet", "--threads", "4", "--out",
                          (folder / "out").string(), "--force"},
                         {.while_running = [time](pid_t process) {
                           std::this_thread::sleep_for(std::chrono::milliseconds(50 + 15 * time));
                           ::kill(process, SIGINT);
                         }});
    // Before the program has its handler, the system's own ends it.
    const bool early = audit.signal == SIGINT;
    EXPECT_TRUE(audit.code == 130 || audit.code == 0 || early)
        << "code " << audit.code << ", signal " << audit.signal << ": " << audit.err;
    interrupted += audit.code == 130 || early ? 1 : 0;
    if (fs::exists(folder / "out" / "report.html")) {
      EXPECT_TRUE(fs::exists(folder / "out" / "results.json"));
    }
  }
  EXPECT_GT(interrupted, 0);
}

}  // namespace
}  // namespace vestige
