// What may be held at once, and who waits.
#include "vestige/base/memory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

#include "vestige/base/error.h"

namespace vestige {
namespace {

/// Sets the limit and puts the default back.
struct Limited {
  explicit Limited(double gigabytes) { set_memory(gigabytes); }
  ~Limited() { set_memory(kDefaultMemory); }
};

TEST(Memory, IsFourGigabytesUnlessSaid) {
  EXPECT_EQ(memory(), 4'000'000'000U);
  const Limited limited(0.5);
  EXPECT_EQ(memory(), 500'000'000U);
}

TEST(Memory, RefusesWhatIsNoSize) {
  for (const double wrong : {0.0, -1.0, 1e9, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(set_memory(wrong), InputError) << wrong;
  }
  EXPECT_EQ(memory(), 4'000'000'000U);
}

TEST(Memory, OneAloneNeverWaits) {
  const Limited limited(0.001);
  const HeldMemory held(5'000'000'000U);
}

TEST(Memory, OthersWaitUntilThereIsRoom) {
  const Limited limited(1);
  std::atomic<bool> second{false}, small{false};
  std::thread waiting, passing;
  {
    const HeldMemory first(700'000'000U);
    passing = std::thread([&] {
      const HeldMemory fits(100'000'000U);
      small = true;
    });
    passing.join();
    EXPECT_TRUE(small);
    waiting = std::thread([&] {
      const HeldMemory too_much(300'000'001U);
      second = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(second);
  }
  waiting.join();
  EXPECT_TRUE(second);
}

}  // namespace
}  // namespace vestige
