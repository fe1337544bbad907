// Room is kept while it is large enough.
#include "vestige/metrics/sde/kernel_room.h"

#include <gtest/gtest.h>

namespace vestige::metrics {
namespace {

TEST(KernelRoom, IsKeptForSmallerMatrices) {
  KernelRoom room;
  const std::span<double> large = room.triangle(1, 100);
  EXPECT_EQ(large.size(), 5050U);  // 100 * 101 / 2
  large.back() = 7;
  const std::span<double> small = room.triangle(1, 10);
  EXPECT_EQ(small.size(), 55U);
  EXPECT_EQ(small.data(), large.data());
  EXPECT_NE(room.triangle(0, 10).data(), small.data());
  // As large as the first was: what lies there was not touched.
  EXPECT_EQ(room.triangle(1, 100).back(), 7);
  EXPECT_EQ(room.triangle(1, 2000).size(), 2001000U);
}

}  // namespace
}  // namespace vestige::metrics
