// Locks: one owner at a time, also when owners die, stop or are taken for dead.
#include "vestige/pool/lock.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/pool/pool_support.h"
#include "tests/support.h"
#include "vestige/base/file.h"
#include "vestige/base/platform/process.h"
#include "vestige/pool/process.h"

namespace vestige::pool {
namespace {

namespace fs = std::filesystem;
using testing::end_of;
using testing::sleep_ms;
using testing::start_child;
using vestige::testing::TemporaryFolder;

class LockTest : public ::testing::Test {
 protected:
  void write_lock(const std::string& host, pid_t pid, const std::string& start) {
    const Json json = {{"host", host}, {"pid", pid}, {"start", start}, {"label", "x"}};
    write_file(path_, json.dump());
  }
  void set_age(int seconds) {
    fs::last_write_time(path_, fs::file_time_type::clock::now() - std::chrono::seconds(seconds));
  }
  /// Whether this process could have it now; gives it back at once.
  bool claimable(const LockOptions& options = {}) {
    return Lock::try_claim(folder_.path(), "job", options).has_value();
  }
  void wait_for(const fs::path& path) {
    for (int tries = 0; tries < 1000 && !fs::exists(path); ++tries) sleep_ms(5);
    ASSERT_TRUE(fs::exists(path));
  }

  TemporaryFolder folder_;
  fs::path path_ = folder_ / "job.lock";
};

TEST(Process, StartTimeTellsProcessesApart) {
  EXPECT_FALSE(platform::process_start(::getpid()).empty());
  EXPECT_EQ(platform::process_start(testing::dead_pid()), "");
  EXPECT_FALSE(process_gone(machine(), ::getpid(), platform::process_start(::getpid())));
  EXPECT_TRUE(process_gone(machine(), ::getpid(), "1"));
  EXPECT_TRUE(process_gone(machine(), testing::dead_pid(), ""));
  EXPECT_FALSE(process_gone("elsewhere-00000000", testing::dead_pid(), ""));
  const pid_t zombie = start_child([] {});
  for (int tries = 0; tries < 1000 && !platform::process_start(zombie).empty(); ++tries)
    sleep_ms(1);
  EXPECT_TRUE(process_gone(machine(), zombie, ""));
  end_of(zombie);
}

TEST_F(LockTest, OneOwnerAndGivenBack) {
  {
    const std::optional<Lock> lock = Lock::try_claim(folder_.path(), "job", {.label = "a/1"});
    ASSERT_TRUE(lock);
    EXPECT_TRUE(lock->held());
    EXPECT_FALSE(claimable());
    const std::vector<LockState> seen = locks(folder_.path(), 60);
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0].name, "job");
    EXPECT_EQ(seen[0].label, "a/1");
    EXPECT_EQ(seen[0].host, machine());
    EXPECT_EQ(seen[0].pid, ::getpid());
    EXPECT_EQ(seen[0].start, platform::process_start(::getpid()));
    EXPECT_TRUE(seen[0].live);
  }
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_TRUE(claimable());
}

TEST_F(LockTest, ExcludesAnotherProcess) {
  const pid_t child = start_child([this] {
    const auto lock = Lock::try_claim(folder_.path(), "job");
    write_file(folder_ / "claimed", "");
    while (!fs::exists(folder_ / "enough")) sleep_ms(2);
  });
  wait_for(folder_ / "claimed");
  EXPECT_FALSE(claimable());
  write_file(folder_ / "enough", "");
  EXPECT_EQ(end_of(child), 0);
  EXPECT_TRUE(claimable());
}

TEST_F(LockTest, DeadProcessIsTakenOverAtOnce) {
  const pid_t child = start_child([this] {
    const auto lock = Lock::try_claim(folder_.path(), "job");
    ::raise(SIGKILL);
  });
  EXPECT_EQ(end_of(child), -SIGKILL);
  ASSERT_TRUE(fs::exists(path_));
  EXPECT_FALSE(locks(folder_.path(), 60).at(0).live);
  EXPECT_TRUE(claimable());
}

TEST_F(LockTest, LaterProcessWithTheSameIdIsNotTheOwner) {
  write_lock(machine(), ::getpid(), "1");
  EXPECT_TRUE(claimable());
}

TEST_F(LockTest, OtherMachinesAreStaleByTimeOnly) {
  write_lock("elsewhere-00000000", testing::dead_pid(), "1");
  EXPECT_FALSE(claimable({.stale_seconds = 60}));
  set_age(50);
  EXPECT_FALSE(claimable({.stale_seconds = 60}));
  set_age(70);
  EXPECT_TRUE(claimable({.stale_seconds = 60}));
}

// A lock that another machine wrote by a clock two hours ahead is waited for, and people are told.
TEST_F(LockTest, WaitingSaysWhoseItIsAndSinceWhen) {
  write_lock("elsewhere-00000000", 4711, "1");
  set_age(30);
  std::vector<LockState> found = locks(folder_.path(), 60);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].live);
  EXPECT_NEAR(found[0].age_seconds, 30, 5);
  found[0].age_seconds = 30;
  EXPECT_EQ(waiting_text(found[0], folder_.path()),
            fmt::format("waiting for x: process 4711 on elsewhere-00000000 is at it and was last "
                        "heard of 30 s ago; if that process is gone, remove {}",
                        path_.string()));
  set_age(-7200);
  found = locks(folder_.path(), 60);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].live);
  EXPECT_NEAR(found[0].age_seconds, -7200, 5);
  EXPECT_TRUE(vestige::testing::holds(waiting_text(found[0], folder_.path()),
                                      {"in the future", "clock", "is wrong", "remove"}));
}

TEST_F(LockTest, EmptyLockIsStaleAfterSeconds) {
  // Its owner died between making and filling it.
  write_file(path_, "");
  EXPECT_FALSE(claimable());
  set_age(6);
  EXPECT_TRUE(claimable());
}

TEST_F(LockTest, RemoveStaleLocksLeavesTheLiving) {
  write_lock(machine(), testing::dead_pid(), "1");
  const auto live = Lock::try_claim(folder_.path(), "other");
  remove_stale_locks(folder_.path(), 60);
  EXPECT_FALSE(fs::exists(path_));
  EXPECT_TRUE(live->held());
}

TEST_F(LockTest, HeartbeatKeepsItAliveAndTellsTheReport) {
  std::optional<Lock> lock = Lock::try_claim(
      folder_.path(), "job", {.label = "a/1", .stale_seconds = 0.3, .heartbeat_seconds = 0.02});
  ASSERT_TRUE(lock);
  for (int step = 1; step <= 12; ++step) {
    lock->report({.images = 10.0 * step, .total_images = 1e6, .loss = 0.5, .accuracy = 0.25});
    sleep_ms(60);
    ASSERT_FALSE(claimable({.stale_seconds = 0.3}));
  }
  const LockState seen = locks(folder_.path(), 0.3).at(0);
  EXPECT_TRUE(seen.live);
  EXPECT_EQ(seen.report.images, 120);
  EXPECT_EQ(seen.report.total_images, 1e6);
  EXPECT_EQ(seen.report.loss, 0.5);
  EXPECT_EQ(seen.report.accuracy, 0.25);
}

TEST_F(LockTest, StoppedOwnerLosesItAndDoesNotTakeItsSuccessors) {
  const pid_t child = start_child([this] {
    const auto lock = Lock::try_claim(folder_.path(), "job", {.heartbeat_seconds = 0.02});
    write_file(folder_ / "claimed", "");
    while (!fs::exists(folder_ / "enough")) sleep_ms(2);
    if (lock->held()) throw std::runtime_error("the lost lock counts as held");
  });
  wait_for(folder_ / "claimed");
  ::kill(child, SIGSTOP);
  std::optional<Lock> lock;
  for (int tries = 0; tries < 200 && !lock; ++tries) {
    sleep_ms(20);
    auto claimed = Lock::try_claim(folder_.path(), "job", {.stale_seconds = 0.3});
    if (claimed) lock.emplace(std::move(*claimed));
  }
  ASSERT_TRUE(lock);
  // The old owner goes on: neither its heartbeat nor its end touches the new lock.
  ::kill(child, SIGCONT);
  sleep_ms(100);
  write_file(folder_ / "enough", "");
  EXPECT_EQ(end_of(child), 0);
  EXPECT_TRUE(lock->held());
  EXPECT_EQ(locks(folder_.path(), 60).at(0).pid, ::getpid());
}

// Eight processes race for the lock of a dead one; each winner dies in turn without giving it back,
// so that the race is run eight times.
TEST_F(LockTest, StealRaceHasOneWinnerAtATime) {
  for (int round = 0; round < 5; ++round) {
    write_lock(machine(), testing::dead_pid(), "1");
    std::vector<pid_t> children;
    for (int index = 0; index < 8; ++index) {
      children.push_back(start_child([this] {
        while (true) {
          auto lock = Lock::try_claim(folder_.path(), "job");
          if (!lock) {
            std::this_thread::yield();
            continue;
          }
          // mkdir fails if another process is inside.
          if (::mkdir((folder_ / "inside").c_str(), 0777) != 0) ::_exit(7);
          sleep_ms(2);
          if (!lock->held()) ::_exit(8);
          ::rmdir((folder_ / "inside").c_str());
          ::raise(SIGKILL);
        }
      }));
    }
    for (const pid_t child : children) EXPECT_EQ(end_of(child), -SIGKILL);
    EXPECT_TRUE(claimable());
    EXPECT_FALSE(fs::exists(path_));
  }
}

// The same with owners that give it back properly, so that claims, releases and looks overlap.
TEST_F(LockTest, ClaimsAndReleasesByManyExcludeEachOther) {
  std::vector<pid_t> children;
  for (int index = 0; index < 4; ++index) {
    children.push_back(start_child([this] {
      for (int won = 0; won < 25;) {
        auto lock = Lock::try_claim(folder_.path(), "job");
        if (!lock) continue;
        if (::mkdir((folder_ / "inside").c_str(), 0777) != 0) ::_exit(7);
        if (!lock->held()) ::_exit(8);
        ::rmdir((folder_ / "inside").c_str());
        ++won;
      }
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(end_of(child), 0);
  EXPECT_FALSE(fs::exists(path_));
}

TEST(Lock, PlaceThatCannotBeWritten) {
  const std::string text = vestige::testing::error_of([] { Lock::try_claim("/proc", "job"); });
  EXPECT_TRUE(vestige::testing::holds(text, {"cannot write to the pool /proc", "kept"}));
}

}  // namespace
}  // namespace vestige::pool
