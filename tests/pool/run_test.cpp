// Working off jobs: alone, together, after failures and after kills.
#include "vestige/pool/run.h"

#include <gtest/gtest.h>

#include <new>
#include <optional>
#include <thread>

#include "tests/pool/pool_support.h"
#include "tests/support.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/seed.h"
#include "vestige/pool/alone.h"
#include "vestige/pool/device_trouble.h"
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
using testing::tree;
using vestige::testing::holds;
using vestige::testing::TemporaryFolder;

class RunTest : public ::testing::Test {
 protected:
  RunSummary run_here(const std::vector<Job>& jobs, const RunOptions& options = quiet()) {
    Store store(pool_);
    ::testing::internal::CaptureStderr();
    const RunSummary summary = run(store, jobs, options);
    said_ = ::testing::internal::GetCapturedStderr();
    return summary;
  }

  TemporaryFolder folder_;
  fs::path pool_ = folder_ / "pool";
  fs::path log_ = folder_ / "log";
  std::string said_;
};

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

TEST_F(RunTest, WaitsForAnotherAndTakesOverTheDead) {
  const pid_t child = start_child([this] {
    Store store(pool_);
    run(store, std::vector<Job>{job(0, 60000)}, quiet());
  });
  for (int tries = 0; tries < 1000 && locks(pool_, 60).empty(); ++tries) testing::sleep_ms(1);
  const pid_t killer = start_child([child] {
    testing::sleep_ms(300);
    ::kill(child, SIGKILL);
  });
  const RunSummary summary = run_here({job(0, 1)});
  EXPECT_EQ(summary.made, 1U);
  EXPECT_EQ(end_of(child), -SIGKILL);
  EXPECT_EQ(end_of(killer), 0);
}

TEST_F(RunTest, FourProcessesShareTheJobs) {
  const std::vector<Job> jobs = many_jobs(30, 5, log_);
  std::vector<pid_t> children;
  for (std::size_t rank = 0; rank < 4; ++rank) {
    children.push_back(start_child([&, rank] {
      Store store(pool_);
      const RunSummary summary = run(store, jobs, quiet(rank, 4));
      if (summary.made + summary.present != 30 || summary.failed != 0) ::_exit(3);
      if (summary.made == 0) ::_exit(4);  // it had a quarter of its own to begin with
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(end_of(child), 0);
  const std::map<std::string, int> counts = testing::line_counts(log_);
  EXPECT_EQ(counts.size(), 30U);
  for (const auto& [seed, count] : counts) EXPECT_EQ(count, 1) << seed;
  Store store(pool_);
  for (int seed = 0; seed < 30; ++seed) EXPECT_TRUE(store.has(identity(seed).name()));
  EXPECT_EQ(vestige::testing::listing(pool_).size(), 4U * 30U);
}

/// Four models that a process dies of unless they are made `room` at a time; `log` gets a line for
/// every try.
Job deadly(std::size_t room, const fs::path& log) {
  Job result;
  for (int seed = 0; seed < 4; ++seed) result.models.push_back(identity(seed));
  result.make_smaller = [room, log](const auto&, std::size_t graph) {
    testing::append_line(log, fmt::format("{} at a time", graph));
    if (graph > room) ::raise(SIGKILL);
    std::vector<Product> made;
    for (int seed = 0; seed < 4; ++seed) made.push_back(testing::product(seed));
    return made;
  };
  result.make = [smaller = result.make_smaller](const auto& report) { return smaller(report, 4); };
  return result;
}

TEST_F(RunTest, AfterADeathHalfAsManyAreMadeAtOnceThenOne) {
  const RunOptions options = quiet();
  const std::vector<Job> jobs = {deadly(1, log_)};
  for (int worker = 0; worker < 2; ++worker) {
    const pid_t child = start_child([&] {
      Store store(pool_);
      run(store, jobs, options);
    });
    EXPECT_EQ(end_of(child), -SIGKILL);
  }
  EXPECT_EQ(run_here(jobs, options).made, 4U);
  EXPECT_EQ(read_file(log_), "4 at a time\n2 at a time\n1 at a time\n");
  EXPECT_TRUE(holds(said_, {"original/0 and 3 more", "was killed", "trying 1 at a time"}));
  EXPECT_FALSE(fs::exists(pool_ / (identity(0).name() + ".begun")));
}

TEST_F(RunTest, AJobThatKillsEveryProcessFailsAndTheOthersGoOn) {
  const RunOptions options = quiet();
  std::vector<Job> jobs = many_jobs(2, 0);
  jobs[0].make = [this](const auto&) -> std::vector<Product> {
    testing::append_line(log_, "try");
    ::raise(SIGKILL);
    return {};
  };
  for (int worker = 0; worker < 2; ++worker) {
    const pid_t child = start_child([&] {
      Store store(pool_);
      run(store, jobs, options);
    });
    EXPECT_EQ(end_of(child), -SIGKILL);
  }
  const RunSummary summary = run_here(jobs, options);
  EXPECT_EQ(summary.failed, 1U);
  EXPECT_EQ(summary.made, 1U);
  EXPECT_EQ(testing::line_counts(log_), (std::map<std::string, int>{{"try", 2}}));
  EXPECT_TRUE(
      holds(said_, {"original/0 failed: 2 processes were killed at it, the last with nothing "
                    "else running beside it",
                    "memory"}));
  EXPECT_TRUE(find_failure(pool_, identity(0).name(), options.since));
  EXPECT_TRUE(locks(pool_, 60).empty());
}

// A job that a process dies of while another job runs on the same machine, and not without.
TEST_F(RunTest, AfterADeathAJobOfOneModelIsMadeAlone) {
  const RunOptions options = quiet();
  const fs::path busy = folder_ / "busy";
  std::vector<Job> jobs = many_jobs(2, 0);
  jobs[0].make = [&](const auto&) -> std::vector<Product> {
    testing::append_line(log_, fs::exists(busy) ? "beside" : "alone");
    if (fs::exists(busy)) ::raise(SIGKILL);
    return {testing::product(0)};
  };
  jobs[1].make = [&](const auto&) -> std::vector<Product> {
    write_file(busy, "");
    sleep_ms(1500);
    fs::remove(busy);
    return {testing::product(1)};
  };
  const pid_t other = start_child([&] {
    Store store(pool_);
    run(store, std::span(jobs).subspan(1), options);
  });
  while (!fs::exists(busy)) sleep_ms(1);
  const pid_t dies = start_child([&] {
    Store store(pool_);
    run(store, jobs, options);
  });
  EXPECT_EQ(end_of(dies), -SIGKILL);
  EXPECT_TRUE(fs::exists(busy)) << "the other job ended too early for this test";
  const RunSummary summary = run_here(jobs, options);
  EXPECT_EQ(summary.made + summary.present, 2U);
  EXPECT_EQ(summary.failed, 0U);
  EXPECT_EQ(end_of(other), 0);
  EXPECT_EQ(read_file(log_), "beside\nalone\n");
  EXPECT_TRUE(holds(said_, {"original/0: the process", "with nothing else beside it"}));
  EXPECT_TRUE(locks(pool_, 60).empty());
}

// While a worker is alone, others of the machine wait with their jobs.
TEST_F(RunTest, OthersWaitForWhoIsAlone) {
  const Store store(pool_);  // makes the folder
  std::optional<Alone> alone = Alone::try_claim(pool_, {});
  ASSERT_TRUE(alone.has_value());
  EXPECT_TRUE(somebody_is_alone(pool_, 60));
  EXPECT_FALSE(Alone::try_claim(pool_, {}).has_value());
  const std::vector<Job> jobs = many_jobs(1, 0, log_);
  std::thread worker([&] { run_here(jobs, quiet()); });
  sleep_ms(500);
  EXPECT_FALSE(fs::exists(log_)) << "it began beside one that is alone";
  alone.reset();
  worker.join();
  EXPECT_EQ(testing::line_counts(log_).size(), 1U);
  EXPECT_FALSE(somebody_is_alone(pool_, 60));
}

// Who kills everything and starts again gets the models that an undisturbed run makes.
TEST_F(RunTest, ALaterRunBeginsWithAllModelsAtOnce) {
  const pid_t child = start_child([this] {
    Store store(pool_);
    run(store, std::vector<Job>{deadly(1, log_)}, quiet());
  });
  EXPECT_EQ(end_of(child), -SIGKILL);
  sleep_ms(20);
  EXPECT_EQ(run_here({deadly(4, log_)}).made, 4U);
  EXPECT_EQ(read_file(log_), "4 at a time\n4 at a time\n");
  EXPECT_EQ(said_, "");
}

TEST_F(RunTest, ALostDeviceEndsTheWorkerAndFailsNoJob) {
  std::vector<Job> jobs = many_jobs(3, 0, log_);
  jobs[1].make = [](const auto&) -> std::vector<Product> {
    throw std::runtime_error("CUDA error: unspecified launch failure\nframe #0: ...");
  };
  Store store(pool_);
  const std::string said = vestige::testing::error_of([&] { run(store, jobs, quiet()); });
  EXPECT_TRUE(holds(said, {"GPU", "run the same command again", "(CUDA error: unspecified"}));
  EXPECT_EQ(said.find("frame"), std::string::npos);
  EXPECT_FALSE(find_failure(pool_, identity(1).name()));
  EXPECT_TRUE(locks(pool_, 60).empty());
  EXPECT_EQ(run_here(many_jobs(3, 0, log_)).made, 2U);
}

// A worker dies at random moments twenty times, alone or beside one that lives on a little longer.
TEST_F(RunTest, TwentyKillsLeaveTheSamePool) {
  const std::vector<Job> jobs = many_jobs(60, 1, log_);
  Store whole(folder_ / "whole");
  const auto start = std::chrono::steady_clock::now();
  run(whole, jobs, quiet());
  // Thirty workers live, together, for about half the time of the whole work, so that most are
  // killed at it whatever the disk's speed.
  const std::chrono::duration<double> longest = (std::chrono::steady_clock::now() - start) / 40.0;
  Stream stream(1, "kill moments");
  int killed = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<pid_t> children;
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(1 + round % 2); ++rank) {
      children.push_back(start_child([&, rank] {
        Store store(pool_);
        run(store, jobs, quiet(rank, 2));
      }));
    }
    for (const pid_t child : children) {
      std::this_thread::sleep_for(longest * stream.uniform());
      ::kill(child, SIGKILL);
      if (end_of(child) == -SIGKILL) ++killed;
    }
  }
  EXPECT_GE(killed, 20);
  const RunSummary summary = run_here(jobs);
  EXPECT_GT(summary.present, 0U);  // the kills came late enough to leave something
  EXPECT_EQ(said_, "");            // nothing half-written was ever taken for a model
  EXPECT_EQ(tree(pool_), tree(folder_ / "whole"));
}

}  // namespace
}  // namespace vestige::pool
