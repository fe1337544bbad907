// Parallel loops: every index once, exceptions and Ctrl-C come through.
#include "vestige/base/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support.h"
#include "vestige/base/interrupt.h"

namespace vestige {
namespace {

/// Every test runs inside an arena of so many threads.
class Threads : public ::testing::TestWithParam<int> {
 protected:
  template <typename Body>
  static void inside(const Body& body) {
    Arena(GetParam()).run(body);
  }
};

TEST_P(Threads, EveryIndexIsVisitedOnce) {
  std::vector<std::atomic<int>> visits(10007);
  inside([&] { parallel_for(visits.size(), [&visits](std::size_t index) { ++visits[index]; }); });
  for (const auto& count : visits) ASSERT_EQ(count.load(), 1);
}

TEST_P(Threads, RangesAreDisjointCoverAllAndAreNotSmallerThanHalfTheGrain) {
  std::vector<std::atomic<int>> visits(1000);
  std::atomic<std::size_t> smallest{1000};
  inside([&] {
    parallel_ranges(visits.size(), 100, [&](std::size_t first, std::size_t last) {
      ASSERT_LT(first, last);
      std::size_t seen = smallest.load();
      while (last - first < seen && !smallest.compare_exchange_weak(seen, last - first)) {
      }
      for (std::size_t index = first; index < last; ++index) ++visits[index];
    });
  });
  for (const auto& count : visits) ASSERT_EQ(count.load(), 1);
  EXPECT_GE(smallest.load(), 50U);
}

TEST_P(Threads, TasksWithLoopsAreNotBegunInsideOneAnother) {
  std::atomic<int> running = 0, most = 0;
  std::vector<double> sums(40);
  inside([&] {
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
    inside([] {
      parallel_for(1000, [](std::size_t index) {
        if (index == 617) fail("row {} is bad", index);
      });
    });
  };
  EXPECT_EQ(testing::error_of(run), "row 617 is bad");
  // The loop still works afterwards.
  std::atomic<int> count{0};
  inside([&] { parallel_for(100, [&count](std::size_t) { ++count; }); });
  EXPECT_EQ(count.load(), 100);
}

// TBB gives inner loops up when the outer one has failed: code behind them must not go on with half
// of their results.
TEST_P(Threads, AnInnerLoopThatIsGivenUpDoesNotReturn) {
  std::atomic<bool> begun{false}, incomplete{false};
  const auto outer = [&] {
    inside([&] {
      parallel_tasks(2, [&](std::size_t task) {
        if (task == 0) {
          for (int wait = 0; !begun && wait < 200; ++wait) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
          fail("stop");
        }
        std::atomic<int> visited{0};
        parallel_for(500, [&](std::size_t) {
          begun = true;
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          ++visited;
        });
        if (visited != 500) incomplete = true;
      });
    });
  };
  EXPECT_EQ(testing::error_of(outer), "stop");
  EXPECT_FALSE(incomplete);
}

TEST_P(Threads, NothingToDoIsFine) {
  inside([] {
    parallel_for(0, [](std::size_t) { FAIL(); });
    parallel_ranges(0, 0, [](std::size_t, std::size_t) { FAIL(); });
  });
}

TEST_P(Threads, TheNumberOfThreadsIsTheArenas) {
  EXPECT_EQ(Arena(GetParam()).threads(), GetParam());
  const int here = std::min(GetParam(), Arena(0).threads());
  inside([here] {
    EXPECT_EQ(threads(), here);
    Arena(1).run([] { EXPECT_EQ(threads(), 1); });
    EXPECT_EQ(threads(), here) << "as before the inner one";
  });
}

INSTANTIATE_TEST_SUITE_P(Counts, Threads, ::testing::Values(1, 2, 4));

TEST(Parallel, ZeroThreadsMeansAllAndNegativeIsAnError) {
  EXPECT_EQ(Arena(0).threads(), threads());
  EXPECT_TRUE(
      testing::holds(testing::error_of([] { Arena(-2); }), {"--threads is -2", "0 for all cores"}));
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
