// Working off jobs by one process: what is missing, what is needed first, what fails.
#include "vestige/pool/run.h"

#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <new>
#include <stdexcept>

#include "tests/pool/run_fixture.h"
#include "vestige/base/interrupt.h"
#include "vestige/pool/failures.h"
#include "vestige/pool/lock.h"

namespace vestige::pool {
namespace {

namespace fs = std::filesystem;
using testing::end_of;
using testing::identity;
using testing::job;
using testing::many_jobs;
using testing::quiet;
using testing::sleep_ms;
using testing::start_child;
using vestige::testing::holds;

using RunTest = testing::RunFixture;

TEST_F(RunTest, MakesWhatIsMissing) {
  Store(pool_).put(identity(1), testing::product(1));
  const RunSummary summary = run_here(many_jobs(3, 0, log_));
  EXPECT_EQ(summary.made, 2U);
  EXPECT_EQ(summary.present, 1U);
  EXPECT_EQ(summary.failed, 0U);
  EXPECT_EQ(said_, "");
  EXPECT_EQ(testing::line_counts(log_), (std::map<std::string, int>{{"0", 1}, {"2", 1}}));
  EXPECT_EQ(run_here(many_jobs(3, 0, log_)).present, 3U);
  EXPECT_EQ(Store(pool_).entries().size(), 3U);
}

TEST_F(RunTest, NothingToDo) {
  EXPECT_EQ(run_here({}).made, 0U);
  EXPECT_EQ(run_here({Job{}}).made, 0U);
}

TEST_F(RunTest, SearchBeginsAtTheWorkersPlace) {
  run_here(many_jobs(10, 0, log_), quiet(1, 4));
  // Rank 1 of 4 begins at job 1 * 10 / 4 = 2.
  EXPECT_EQ(read_file(log_), "2\n3\n4\n5\n6\n7\n8\n9\n0\n1\n");
}

TEST_F(RunTest, DamagedModelIsMadeAgain) {
  run_here(many_jobs(2, 0));
  write_file(pool_ / identity(1).name() / "model.safetensors", "weights of 7");
  EXPECT_EQ(run_here(many_jobs(2, 0)).made, 1U);
  EXPECT_TRUE(holds(said_, {"warning", "checksum"}));
  EXPECT_EQ(Store(pool_).read(identity(1).name(), "model.safetensors"), "weights of 1");
}

TEST_F(RunTest, NeedsComeFirst) {
  std::vector<Job> jobs = many_jobs(3, 0, log_);
  jobs[0].needs = {identity(1).name()};
  jobs[1].needs = {identity(2).name()};
  EXPECT_EQ(run_here(jobs).made, 3U);
  EXPECT_EQ(read_file(log_), "2\n1\n0\n");
}

TEST_F(RunTest, NeedsThatNobodyMakesFail) {
  std::vector<Job> jobs = many_jobs(5, 0);
  jobs[0].needs = {identity(77).name()};
  jobs[1].needs = {identity(0).name()};  // fails with it
  jobs[2].needs = {identity(3).name()};  // a circle
  jobs[3].needs = {identity(2).name()};
  const RunSummary summary = run_here(jobs);
  EXPECT_EQ(summary.failed, 4U);
  EXPECT_EQ(summary.made, 1U);
  EXPECT_TRUE(holds(said_, {"original/0 failed: it needs model " + identity(77).name(),
                            "original/1 failed", "original/2 failed", "original/3 failed"}));
}

TEST_F(RunTest, NeedsAreAwaitedFromAnotherRecipe) {
  const pid_t child = start_child([this] {
    Store store(pool_);
    run(store, std::vector<Job>{job(9, 300)}, quiet());
  });
  for (int tries = 0; tries < 1000 && !fs::exists(pool_ / (identity(9).name() + ".lock"));
       ++tries) {
    testing::sleep_ms(1);
  }
  std::vector<Job> jobs = many_jobs(1, 0);
  jobs[0].needs = {identity(9).name()};
  const RunSummary summary = run_here(jobs);
  EXPECT_EQ(end_of(child), 0);
  EXPECT_EQ(summary.made, 1U) << said_;
}

// A worker's libraries take a second to load: a companion may have failed before it is there.
TEST_F(RunTest, WhatFailedInThisRunIsNotTriedAgain) {
  const RunOptions since_before = quiet();
  sleep_ms(20);
  Store store(pool_);
  note_failure(pool_, identity(1).name(), {"original/1", "the command ended with code 3"});
  const RunSummary summary = run_here(many_jobs(3, 0, log_), since_before);
  EXPECT_EQ(summary.made, 2U);
  EXPECT_EQ(summary.failed, 1U);
  EXPECT_EQ(testing::line_counts(log_), (std::map<std::string, int>{{"0", 1}, {"2", 1}}));
  // A later run tries anew.
  sleep_ms(20);
  EXPECT_EQ(run_here(many_jobs(3, 0, log_)).made, 1U);
}

TEST_F(RunTest, FailureGoesOn) {
  std::vector<Job> jobs = many_jobs(5, 0);
  jobs[0].make = [](const auto&) -> std::vector<Product> { throw InputError("no such dataset"); };
  jobs[1].make = [](const auto&) -> std::vector<Product> { throw std::bad_alloc(); };
  jobs[2].make = [](const auto&) -> std::vector<Product> {
    throw std::runtime_error("CUDA out of memory\nframe #0: ...");
  };
  jobs[3].make = [](const auto&) { return std::vector<Product>(); };
  const RunSummary summary = run_here(jobs);
  EXPECT_EQ(summary.failed, 4U);
  EXPECT_EQ(summary.made, 1U);
  EXPECT_EQ(said_,
            "vestige: original/0 failed: no such dataset\n"
            "vestige: original/1 failed: out of memory\n"
            "vestige: original/2 failed: CUDA out of memory\n"
            "vestige: original/3 failed: 0 products for 1 models\n");
  EXPECT_TRUE(locks(pool_, 60).empty());
}

TEST_F(RunTest, GroupPutsOnlyTheMissing) {
  Product old = testing::product(1);
  old.files["model.safetensors"] = "older";
  Store(pool_).put(identity(1), old);
  Job group;
  group.models = {identity(0), identity(1), identity(2)};
  bool locked = false;
  group.make = [&](const auto&) {
    locked = fs::exists(pool_ / (identity(0).name() + ".group.lock"));
    return std::vector<Product>{testing::product(0), testing::product(1), testing::product(2)};
  };
  const RunSummary summary = run_here({group});
  EXPECT_TRUE(locked);
  EXPECT_EQ(summary.made, 2U);
  EXPECT_EQ(summary.present, 1U);
  EXPECT_EQ(Store(pool_).read(identity(1).name(), "model.safetensors"), "older");
  EXPECT_EQ(Store(pool_).read(identity(2).name(), "model.safetensors"), "weights of 2");
}

TEST_F(RunTest, InterruptGivesTheLockBack) {
  const std::string result = vestige::testing::in_child([this]() -> std::string {
    install_interrupt_handler();
    std::vector<Job> jobs = many_jobs(2, 0);
    jobs[1].make = [](const std::function<void(const Report&)>& report) {
      ::raise(SIGINT);
      report({});
      return std::vector<Product>();
    };
    Store store(pool_);
    try {
      run(store, jobs, quiet());
    } catch (const Interrupted&) {
      return "interrupted";
    }
    return "went on";
  });
  EXPECT_EQ(result, "interrupted");
  EXPECT_TRUE(locks(pool_, 60).empty());
  EXPECT_TRUE(Store(pool_).has(identity(0).name()));
}

TEST_F(RunTest, PlaceThatCannotBeWrittenIsFoundBeforeTheWork) {
  Store store("/proc/vestige");
  const std::vector<Job> jobs = many_jobs(3, 0, log_);
  EXPECT_TRUE(holds(vestige::testing::error_of([&] { run(store, jobs, quiet()); }),
                    {"cannot write", "/proc/vestige"}));
  EXPECT_FALSE(fs::exists(log_));
}

}  // namespace
}  // namespace vestige::pool
