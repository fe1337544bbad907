// Workers of the real program that are killed with SIGKILL, as the kernel does for want of memory:
// the run goes on with less at once, says so, and the pool stays whole.
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <thread>

#include "tests/cli/vestige.h"
#include "tests/support.h"
#include "vestige/base/file.h"
#include "vestige/base/json.h"

namespace vestige {
namespace {

namespace fs = std::filesystem;
using testing::Finished;
using testing::holds;
using testing::TemporaryFolder;
using testing::vestige;

constexpr const char* kDeadlyRecipe = R"(seed = 1
data = { name = "synthetic", rows = 900, test_rows = 200, classes = 4, height = 8, width = 8 }
split = { train = 400, calibration = 100 }
forget = { kind = "random", count = 40 }
model = { name = "small_cnn", width = 4 }
train = { epochs = 10, batch = 32, rate = 0.05, copies = 4 }
pool = { original = 4, retrained = 4 }
methods = ["finetune"]
collect = { taps = ["penultimate"] }
)";

class KilledWorker : public ::testing::Test {
 protected:
  KilledWorker() { write_file(recipe(), kDeadlyRecipe); }

  std::string recipe() const { return (folder_ / "recipe.toml").string(); }
  std::string pool(const std::string& name = "pool") const { return (folder_ / name).string(); }

  std::vector<std::string> command(const char* verb, const std::string& name) const {
    return {verb, recipe(), "--pool", pool(name), "--workers", "2"};
  }

  /// The process that is at a job whose label begins like this and that is, or is not, `leader`; -1
  /// if none comes. It has noted its try: one that is killed between its lock and its note has not
  /// begun, and nobody need make less for it.
  pid_t holder(const std::string& name, const std::string& label, pid_t leader,
               bool is_leader) const {
    for (int tries = 0; tries < 15000; ++tries) {
      std::error_code error;
      for (fs::directory_iterator entry(pool(name), error), end; !error && entry != end;
           entry.increment(error)) {
        if (entry->path().extension() != ".lock") continue;
        const Json lock = Json::parse(text_of(entry->path()), nullptr, false);
        if (!lock.is_object() || !lock.value("label", "").starts_with(label)) continue;
        fs::path note = entry->path();
        note.replace_extension();  // of a job with several models: NAME.group.lock, NAME.begun
        note.replace_extension(".begun");
        if (!Json::parse(text_of(note), nullptr, false).is_object()) continue;
        const pid_t process = lock.value("pid", -1);
        if ((process == leader) == is_leader) return process;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return -1;
  }

  /// Kills the worker that is at such a job. The leader, which starts sooner, stands still from its
  /// first job on until then: or small jobs were all done before the worker has loaded its
  /// libraries.
  testing::ProcessOptions killing(const std::string& name, const std::string& label) const {
    return {.while_running = [this, name, label](pid_t leader) {
      EXPECT_EQ(holder(name, label, leader, true), leader);
      ::kill(leader, SIGSTOP);
      const pid_t worker = holder(name, label, leader, false);
      EXPECT_GT(worker, 1);
      if (worker > 1) ::kill(worker, SIGKILL);
      ::kill(leader, SIGCONT);
    }};
  }

  std::map<std::string, std::string> weights(const std::string& name) const {
    std::map<std::string, std::string> result;
    for (const auto& entry : fs::directory_iterator(pool(name))) {
      const std::string file = entry.path().filename().string();
      EXPECT_TRUE(entry.is_directory()) << "left over: " << file;
      if (entry.is_directory()) result[file] = read_file(entry.path() / "model.safetensors");
    }
    return result;
  }

  TemporaryFolder folder_;

 private:
  static std::string text_of(const fs::path& path) {
    try {
      return read_file(path);
    } catch (const std::exception&) {  // gone meanwhile
      return {};
    }
  }
};

TEST_F(KilledWorker, OfTrainingHalfAsManyModelsAreTrainedAtOnceWithTheSameBytes) {
  ASSERT_EQ(vestige(command("train", "whole")).code, 0);
  const Finished killed = vestige(command("train", "killed"), killing("killed", ""));
  ASSERT_EQ(killed.code, 0) << killed.err;
  EXPECT_TRUE(holds(killed.err, {"was ended by signal 9",
                                 "and 3 more: the process that was at it "
                                 "was killed",
                                 "trying 2 at a time"}))
      << killed.err;
  EXPECT_EQ(weights("killed"), weights("whole"));
  EXPECT_EQ(weights("killed").size(), 8U);
}

TEST_F(KilledWorker, OfUnlearningTheRunIsTriedAloneWithTheSameBytes) {
  for (const char* name : {"whole", "killed"}) {
    ASSERT_EQ(vestige(command("train", name)).code, 0);
  }
  ASSERT_EQ(vestige(command("unlearn", "whole")).code, 0);
  const Finished killed =
      vestige(command("unlearn", "killed"), killing("killed", "unlearned/finetune"));
  ASSERT_EQ(killed.code, 0) << killed.err;
  EXPECT_TRUE(holds(killed.err, {"was ended by signal 9", "with nothing else beside it"}))
      << killed.err;
  EXPECT_EQ(weights("killed"), weights("whole"));
  EXPECT_EQ(weights("killed").size(), 12U);
}

/// Every file below a folder.
std::map<std::string, std::string> files_below(const fs::path& folder) {
  std::map<std::string, std::string> found;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      found[fs::relative(entry.path(), folder).string()] = read_file(entry.path());
    }
  }
  return found;
}

/// The folders beside `out` in which it is being made.
std::vector<fs::path> in_the_making(const fs::path& out) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(out.parent_path())) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(out.filename().string() + ".partial.")) found.push_back(entry.path());
  }
  return found;
}

/// How many .npy files of models (original/0/forget.npy) are below a folder; a file or folder may
/// get its last name while this looks.
std::size_t models_files(const fs::path& folder) {
  std::size_t count = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() == ".npy" && path.parent_path().parent_path() != folder) ++count;
  }
  return count;
}

// Killed when outputs of some models are written: nothing has the evidence's name, and the next run
// ends with the same bytes and leaves nothing beside them. Three times, each a little later.
TEST_F(KilledWorker, OfCollectingTheNextRunEndsWithTheSameBytes) {
  ASSERT_EQ(vestige(command("train", "pool")).code, 0);
  const fs::path whole = pool("whole"), out = pool("killed");
  const auto collect = [&](const fs::path& to, const testing::ProcessOptions& options = {}) {
    return vestige({"collect", recipe(), "--pool", pool(), "--out", to.string(), "--threads", "1"},
                   options);
  };
  ASSERT_EQ(collect(whole).code, 0);
  const std::size_t all = models_files(whole);
  ASSERT_GT(all, 20U);
  for (const std::size_t begun : {std::size_t{1}, all / 3, all / 2}) {
    // Kills when so many files are there. Where the process was quicker than that, once more.
    const auto at_so_many = [&](pid_t process) {
      for (int tries = 0; tries < 20000; ++tries) {
        const std::vector<fs::path> made = in_the_making(out);
        if (fs::exists(out) || (!made.empty() && models_files(made[0]) >= begun)) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      ::kill(process, SIGKILL);
    };
    for (int tries = 0; tries < 20; ++tries) {
      fs::remove_all(out);
      collect(out, {.while_running = at_so_many});
      if (!fs::exists(out)) break;
    }
    ASSERT_FALSE(fs::exists(out)) << "twenty times too late";
    ASSERT_EQ(in_the_making(out).size(), 1U) << "what an earlier one left is gone";
    const fs::path half = in_the_making(out)[0];
    EXPECT_GE(models_files(half), begun);
    EXPECT_EQ(vestige({"audit", out.string()}).code, 2);
  }
  const Finished last = collect(out);
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(files_below(out), files_below(whole));
  EXPECT_TRUE(in_the_making(out).empty()) << in_the_making(out)[0];
  EXPECT_TRUE(holds(collect(out).out, "as it was"));
}

// A note that a process died at these very models (dated after this run's start, as one within it
// would be): collecting goes on one model at a time, with the same files.
TEST_F(KilledWorker, OfCollectingGoesOnOneByOne) {
  ASSERT_EQ(vestige(command("train", "pool")).code, 0);
  const auto files = [&](const std::string& out) {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(pool(out))) {
      if (entry.path().extension() == ".npy") {
        found[fs::relative(entry.path(), pool(out))] = read_file(entry.path());
      }
    }
    return found;
  };
  std::string note;
  const Finished whole = vestige(
      {"collect", recipe(), "--pool", pool(), "--out", pool("whole"), "--set", "collect.rows=0"},
      {.while_running = [&](pid_t) {
        for (int tries = 0; tries < 5000 && note.empty(); ++tries) {
          for (const auto& entry : fs::directory_iterator(pool())) {
            if (entry.path().extension() == ".begun") note = entry.path().string();
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
      }});
  ASSERT_EQ(whole.code, 0) << whole.err;
  ASSERT_FALSE(note.empty()) << "a try is noted while it runs";
  EXPECT_FALSE(fs::exists(note)) << "... and no longer";
  write_file(note, R"({"deaths": 0})");
  fs::last_write_time(note, fs::file_time_type::clock::now() + std::chrono::hours(1));
  const Finished second = vestige(
      {"collect", recipe(), "--pool", pool(), "--out", pool("again"), "--set", "collect.rows=0"});
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_TRUE(holds(second.err, {"was killed", "one model at a time"})) << second.err;
  EXPECT_EQ(files("again"), files("whole"));
  EXPECT_FALSE(fs::exists(note));
}

}  // namespace
}  // namespace vestige
