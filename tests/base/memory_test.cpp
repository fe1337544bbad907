// What may be held at once, and who waits.
#include "vestige/base/memory.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/base/error.h"

namespace vestige {
namespace {

TEST(Memory, IsFourGigabytesUnlessSaid) {
  EXPECT_EQ(Context().memory(), 4'000'000'000U);
  EXPECT_EQ(Context({.memory = 0.5}).memory(), 500'000'000U);
}

TEST(Memory, RefusesWhatIsNoSize) {
  for (const double wrong : {0.0, -1.0, 1e9, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(Context({.memory = wrong}), InputError) << wrong;
  }
}

TEST(Memory, OneAloneNeverWaits) {
  const HeldMemory held(Context({.memory = 0.001}), 5'000'000'000U);
}

TEST(Memory, OthersWaitUntilThereIsRoom) {
  const Context context({.memory = 1});
  std::atomic<bool> second{false}, small{false};
  std::thread waiting, passing;
  {
    const HeldMemory first(context, 700'000'000U);
    passing = std::thread([&] {
      const HeldMemory fits(context, 100'000'000U);
      small = true;
    });
    passing.join();
    EXPECT_TRUE(small);
    waiting = std::thread([&] {
      const HeldMemory too_much(context, 300'000'001U);
      second = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(second);
    const HeldMemory of_another(Context({.memory = 1}), 900'000'000U);  // does not wait
  }
  waiting.join();
  EXPECT_TRUE(second);
}

#ifdef __GLIBC__
// Blocks too small to be mapped on their own, every sixteenth of which stays in use: the C library
// gives nothing of this back by itself.
TEST(Memory, FreeBlocksBetweenOthersAreReturned) {
  constexpr std::size_t kBlock = 60'000;
  std::vector<std::vector<char>> blocks;
  for (std::size_t i = 0; i < 6'400; ++i) blocks.emplace_back(kBlock, 'x');
  if (::mallinfo2().uordblks < 6'400 * kBlock) GTEST_SKIP() << "memory is not the C library's";
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (i % 16 != 0) std::vector<char>().swap(blocks[i]);
  }
  const auto own = [] {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("RssAnon:")) return std::stoul(line.substr(8)) * 1024;
    }
    return 0UL;
  };
  const std::size_t before = own();
  return_free_memory();
  EXPECT_LT(own() + 200'000'000U, before);
  EXPECT_EQ(blocks[16][7], 'x');
}
#endif

}  // namespace
}  // namespace vestige
