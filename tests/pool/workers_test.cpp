// Worker processes. The test program is its own worker: started as one, it never reaches gtest.
#include "vestige/pool/workers.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/pool/pool_support.h"
#include "tests/support.h"
#include "vestige/base/interrupt.h"
#include "vestige/pool/process.h"

namespace vestige::pool {
namespace {

namespace fs = std::filesystem;
using testing::sleep_ms;
using vestige::testing::holds;
using vestige::testing::TemporaryFolder;

bool appears(const fs::path& path) {
  for (int tries = 0; tries < 1000 && !fs::exists(path); ++tries) sleep_ms(5);
  return fs::exists(path);
}

/// What a worker of these tests does: arguments are FOLDER TASK --worker I. Runs before gtest,
/// which is in main.
int task(const std::vector<std::string>& words) {
  become_worker();
  install_interrupt_handler();
  const fs::path folder = words[1];
  const std::string& what = words[2];
  std::printf("this must go nowhere\n");
  write_file(folder / ("started." + words[4]), std::to_string(::getpid()));
  if (what == "codes") return std::stoi(words[4]) + 10;
  if (what == "die") ::raise(SIGKILL);
  for (int tries = 0; what == "wait" && tries < 4000; ++tries) {
    if (interrupted()) {
      write_file(folder / ("stopped." + words[4]), "");
      return 130;
    }
    sleep_ms(5);
  }
  return 0;
}

const bool kIsWorker = [] {
  if (std::getenv(kWorkerVariable) == nullptr) return false;
  std::vector<std::string> words;
  std::istringstream text(read_file("/proc/self/cmdline"));
  for (std::string word; std::getline(text, word, '\0');) words.push_back(word);
  if (words.size() != 5 || words[3] != "--worker") return false;
  std::_Exit(task(words));
}();

class WorkersTest : public ::testing::Test {
 protected:
  std::vector<std::string> arguments(const std::string& what) {
    return {folder_.path().string(), what};
  }
  TemporaryFolder folder_;
};

TEST_F(WorkersTest, StartsOneLessThanAskedForAndTellsExitCodes) {
  int own = 0;
  ::testing::internal::CaptureStdout();
  const int code = run_workers(3, arguments("fine"), [&] { return own++; });
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(code, 0);
  EXPECT_EQ(own, 1);
  EXPECT_EQ(vestige::testing::listing(folder_.path()),
            (std::vector<std::string>{"started.1", "started.2"}));
  const int theirs = run_workers(3, arguments("codes"), [] { return 0; });
  EXPECT_TRUE(theirs == 11 || theirs == 12) << theirs;
  EXPECT_EQ(run_workers(3, arguments("codes"), [] { return 2; }), 2);
  EXPECT_EQ(run_workers(1, arguments("codes"), [] { return 0; }), 0);
}

TEST_F(WorkersTest, DeathBySignalIsAWarning) {
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run_workers(2, arguments("die"), [] { return 0; }), 0);
  EXPECT_TRUE(
      holds(::testing::internal::GetCapturedStderr(), {"warning: worker process", "signal 9"}));
}

TEST_F(WorkersTest, OwnFailureStopsThem) {
  EXPECT_THROW(run_workers(3, arguments("wait"),
                           [&]() -> int {
                             EXPECT_TRUE(appears(folder_ / "started.1"));
                             EXPECT_TRUE(appears(folder_ / "started.2"));
                             fail("no such dataset");
                           }),
               InputError);
  EXPECT_TRUE(fs::exists(folder_ / "stopped.1"));
  EXPECT_TRUE(fs::exists(folder_ / "stopped.2"));
}

TEST_F(WorkersTest, InterruptReachesThem) {
  const std::string result = vestige::testing::in_child([this]() -> std::string {
    install_interrupt_handler();
    try {
      run_workers(2, arguments("wait"), [&] {
        appears(folder_ / "started.1");
        ::raise(SIGTERM);  // to the parent only
        return 0;
      });
    } catch (const Interrupted&) {
      return fs::exists(folder_ / "stopped.1") ? "stopped" : "still running";
    }
    return "went on";
  });
  EXPECT_EQ(result, "stopped");
}

TEST_F(WorkersTest, TheyEndWithTheParentHoweverItEnds) {
  const pid_t parent = testing::start_child([this] {
    run_workers(2, arguments("wait"), [&] {
      appears(folder_ / "started.1");
      ::raise(SIGKILL);
      return 0;
    });
  });
  EXPECT_EQ(testing::end_of(parent), -SIGKILL);
  // Not by "stopped.1": a parent with threads sends several signals, and the second ends the
  // worker.
  const pid_t worker = std::stoi(read_file(folder_ / "started.1"));
  for (int tries = 0; tries < 1000 && !process_gone(machine(), worker, ""); ++tries) sleep_ms(5);
  EXPECT_TRUE(process_gone(machine(), worker, ""));
}

}  // namespace
}  // namespace vestige::pool
