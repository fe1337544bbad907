// Processes that share the jobs of a pool, and what is left when they are killed.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "tests/pool/run_fixture.h"
#include "vestige/base/seed.h"
#include "vestige/pool/alone.h"
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

using RunTogether = testing::RunFixture;

TEST_F(RunTogether, WaitsForAnotherAndTakesOverTheDead) {
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

TEST_F(RunTogether, FourProcessesShareTheJobs) {
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

// While a worker is alone, others of the machine wait with their jobs.
TEST_F(RunTogether, OthersWaitForWhoIsAlone) {
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

/// The same jobs for a worker that is to be killed: it makes one model and hangs in the next job,
/// so that it never gets to the end of its work, however late the kill comes.
std::vector<Job> endless(std::vector<Job> jobs) {
  const auto begun = std::make_shared<int>(0);
  for (Job& job : jobs) {
    job.make = [begun, make = job.make](const std::function<void(const Report&)>& report) {
      if (++*begun > 1) sleep_ms(600000);
      return make(report);
    };
  }
  return jobs;
}

// A worker dies at random moments twenty times, alone or beside one that lives on a little longer.
TEST_F(RunTogether, TwentyKillsLeaveTheSamePool) {
  const std::vector<Job> jobs = many_jobs(60, 1, log_);
  Store whole(folder_ / "whole");
  const auto start = std::chrono::steady_clock::now();
  run(whole, jobs, quiet());
  // Most workers are killed at their first model, whatever the disk's speed.
  const std::chrono::duration<double> longest = (std::chrono::steady_clock::now() - start) / 40.0;
  const auto has_a_model = [&] {
    Store store(pool_);
    return std::ranges::any_of(
        jobs, [&](const Job& job) { return store.has(job.models.front().name()); });
  };
  Stream stream(1, "kill moments");
  int started = 0;
  int killed = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<pid_t> children;
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(1 + round % 2); ++rank) {
      children.push_back(start_child([&, rank] {
        Store store(pool_);
        run(store, endless(jobs), quiet(rank, 2));
      }));
    }
    started += static_cast<int>(children.size());
    // One round is patient, so that the pool holds a model even where workers begin slowly.
    for (int tries = 0; round == 10 && tries < 60000 && !has_a_model(); ++tries) sleep_ms(1);
    for (const pid_t child : children) {
      std::this_thread::sleep_for(longest * stream.uniform() * (round + 1) / 10.0);
      ::kill(child, SIGKILL);
      if (end_of(child) == -SIGKILL) ++killed;
    }
  }
  EXPECT_EQ(killed, started);
  const RunSummary summary = run_here(jobs);
  EXPECT_GT(summary.present, 0U);  // the kills left some models
  EXPECT_EQ(said_, "");            // nothing half-written was ever taken for a model
  EXPECT_EQ(tree(pool_), tree(folder_ / "whole"));
}

}  // namespace
}  // namespace vestige::pool
