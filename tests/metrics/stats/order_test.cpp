// The order by bits against a sort by comparisons.
#include "vestige/metrics/stats/order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

std::vector<std::size_t> by_comparisons(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return values[left] < values[right];
  });
  return order;
}

TEST(Order, IsThatOfComparisons) {
  for (const std::size_t size : {0UL, 1UL, 2UL, 512UL, 513UL, 5000UL}) {
    for (const double unit : {0.0, 0.25, 1e-3}) {  // of 1/4: many ties
      Stream stream(size, "order_test");
      std::vector<double> values(size);
      for (double& value : values) {
        value = 1000 * stream.normal() * stream.uniform();
        if (unit > 0) value = unit * std::floor(value / unit);
        if (value == 0) value = 0;  // no -0, which comparisons take for 0
      }
      EXPECT_EQ(ascending_order(values), by_comparisons(values));
    }
  }
}

TEST(Order, InfinitiesAndSubnormalNumbers) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> values = {1, kInfinity, -5e-324, 0, 5e-324, -kInfinity, -1, 1e308};
  const std::vector<std::size_t> few = ascending_order(values);
  EXPECT_EQ(few, (std::vector<std::size_t>{5, 6, 2, 3, 4, 0, 7, 1}));
  // The same in front of many: the way of many values has to find it too.
  values.resize(2000, 2);
  EXPECT_EQ(ascending_order(values), by_comparisons(values));
}

}  // namespace
}  // namespace vestige::metrics
