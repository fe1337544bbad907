// Parallel loops: every index once, exceptions and Ctrl-C come through.
#include "vestige/base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/support.h"
#include "vestige/base/interrupt.h"

namespace vestige {
namespace {

class Threads : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override { set_threads(GetParam()); }
  void TearDown() override { set_threads(0); }
};

TEST_P(Threads, EveryIndexIsVisitedOnce) {
  std::vector<std::atomic<int>> visits(10007);
  parallel_for(visits.size(), [&visits](std::size_t index) { ++visits[index]; });
  for (const auto& count : visits) ASSERT_EQ(count.load(), 1);
}

TEST_P(Threads, RangesAreDisjointCoverAllAndAreNotSmallerThanHalfTheGrain) {
  std::vector<std::atomic<int>> visits(1000);
  std::atomic<std::size_t> smallest{1000};
  parallel_ranges(visits.size(), 100, [&](std::size_t first, std::size_t last) {
    ASSERT_LT(first, last);
    std::size_t seen = smallest.load();
    while (last - first < seen && !smallest.compare_exchange_weak(seen, last - first)) {
    }
    for (std::size_t index = first; index < last; ++index) ++visits[index];
  });
  for (const auto& count : visits) ASSERT_EQ(count.load(), 1);
  EXPECT_GE(smallest.load(), 50U);
}

TEST_P(Threads, TasksWithLoopsAreNotBegunInsideOneAnother) {
  std::atomic<int> running = 0, most = 0;
  std::vector<double> sums(40);
  parallel_tasks(sums.size(), [&](std::size_t task) {
    const int now = ++running;
    for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
    }
    std::vector<double> parts(200);
    parallel_for(parts.size(), [&](std::size_t index) {
      parts[index] = std::sqrt(static_cast<double>(task * index));
    });
    sums[task] = std::accumulate(parts.begin(), parts.end(), 0.0);
    --running;
  });
  EXPECT_LE(most, GetParam());
  for (std::size_t task = 0; task < sums.size(); ++task) {
    double sum = 0;
    for (std::size_t index = 0; index < 200; ++index) {
      sum += std::sqrt(static_cast<double>(task * index));
    }
    EXPECT_EQ(sums[task], sum) << task;
  }
}

TEST_P(Threads, AnExceptionOfABodyReachesTheCaller) {
  const auto run = [] {
    parallel_for(1000, [](std::size_t index) {
      if (index == 617) fail("row {} is bad", index);
    });
  };
  EXPECT_EQ(testing::error_of(run), "row 617 is bad");
  // The loop still works afterwards.
  std::atomic<int> count{0};
  parallel_for(100, [&count](std::size_t) { ++count; });
  EXPECT_EQ(count.load(), 100);
}

TEST_P(Threads, NothingToDoIsFine) {
  parallel_for(0, [](std::size_t) { FAIL(); });
  parallel_ranges(0, 0, [](std::size_t, std::size_t) { FAIL(); });
}

TEST_P(Threads, TheNumberOfThreadsIsWhatWasSet) { EXPECT_EQ(threads(), GetParam()); }

INSTANTIATE_TEST_SUITE_P(Counts, Threads, ::testing::Values(1, 2, 4));

TEST(Parallel, ZeroThreadsMeansAllAndNegativeIsAnError) {
  set_threads(0);
  EXPECT_GE(threads(), 1);
  EXPECT_TRUE(testing::holds(testing::error_of([] { set_threads(-2); }),
                             {"--threads is -2", "0 for all cores"}));
}

TEST(InterruptDeathTest, CtrlCBecomesAnExceptionInLoops) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        install_interrupt_handler();
        check_interrupt();
        std::raise(SIGINT);
        int caught = 0;
        try {
          parallel_for(10, [](std::size_t) {});
        } catch (const Interrupted&) {
          ++caught;
        }
        try {
          check_interrupt();
        } catch (const Interrupted&) {
          ++caught;
        }
        std::_Exit(interrupted() && caught == 2 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(InterruptDeathTest, ASecondSignalEndsTheProcess) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        install_interrupt_handler();
        std::raise(SIGTERM);
        std::raise(SIGTERM);
        std::_Exit(0);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace vestige
