// Jobs that kill the process at them, and devices that are lost: with less at a time, then alone.
#include <gtest/gtest.h>

#include <csignal>
#include <map>
#include <stdexcept>

#include "tests/pool/run_fixture.h"
#include "vestige/pool/failures.h"
#include "vestige/pool/lock.h"

namespace vestige::pool {
namespace {

namespace fs = std::filesystem;
using testing::end_of;
using testing::identity;
using testing::many_jobs;
using testing::quiet;
using testing::sleep_ms;
using testing::start_child;
using vestige::testing::holds;

using RunDeaths = testing::RunFixture;

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

TEST_F(RunDeaths, AfterADeathHalfAsManyAreMadeAtOnceThenOne) {
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

TEST_F(RunDeaths, AJobThatKillsEveryProcessFailsAndTheOthersGoOn) {
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
TEST_F(RunDeaths, AfterADeathAJobOfOneModelIsMadeAlone) {
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

// Who kills everything and starts again gets the models that an undisturbed run makes.
TEST_F(RunDeaths, ALaterRunBeginsWithAllModelsAtOnce) {
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

TEST_F(RunDeaths, ALostDeviceEndsTheWorkerAndFailsNoJob) {
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

}  // namespace
}  // namespace vestige::pool
