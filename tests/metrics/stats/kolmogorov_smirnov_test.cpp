// The two-sample Kolmogorov-Smirnov test against all orders of small samples and closed forms.
#include "vestige/metrics/stats/kolmogorov_smirnov.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace vestige::metrics {
namespace {

/// The statistic of one order: true stands for a value of x.
double plain_statistic(const std::vector<bool>& order, std::size_t n, std::size_t m) {
  double i = 0, j = 0, largest = 0;
  for (const bool of_x : order) {
    (of_x ? i : j) += 1;
    largest = std::max(largest, std::abs(i / static_cast<double>(n) - j / static_cast<double>(m)));
  }
  return largest;
}

/// Values 0, 1, 2 ... in the given order.
KolmogorovSmirnov test_of(const std::vector<bool>& order) {
  std::vector<double> x, y;
  for (std::size_t place = 0; place < order.size(); ++place) {
    (order[place] ? x : y).push_back(static_cast<double>(place));
  }
  return kolmogorov_smirnov(x, y);
}

TEST(kolmogorov_smirnov, p_is_the_share_of_orders_that_lie_as_far) {
  for (std::size_t n = 1; n <= 5; ++n) {
    for (std::size_t m = 1; m <= 5; ++m) {
      std::vector<std::vector<bool>> orders;
      std::vector<bool> order(n + m);
      std::fill(order.begin() + static_cast<std::ptrdiff_t>(m), order.end(), true);
      do {
        orders.push_back(order);
      } while (std::next_permutation(order.begin(), order.end()));
      for (const std::vector<bool>& seen : orders) {
        const double statistic = plain_statistic(seen, n, m);
        const auto as_far =
            std::count_if(orders.begin(), orders.end(), [&](const std::vector<bool>& other) {
              return plain_statistic(other, n, m) > statistic - 1e-9;
            });
        const KolmogorovSmirnov found = test_of(seen);
        EXPECT_NEAR(found.statistic, statistic, 1e-12) << n << " " << m;
        EXPECT_NEAR(found.p, static_cast<double>(as_far) / static_cast<double>(orders.size()),
                    1e-12)
            << n << " " << m;
      }
    }
  }
}

TEST(kolmogorov_smirnov, ties_move_both_distributions_at_once) {
  // Both functions step from 0 to 1/2 at 1 and to 1 at 2 and 3: they differ at 2 alone, by 1/2.
  const KolmogorovSmirnov found =
      kolmogorov_smirnov(std::vector<double>{1, 2}, std::vector<double>{1, 3});
  EXPECT_DOUBLE_EQ(found.statistic, 0.5);
  EXPECT_DOUBLE_EQ(kolmogorov_smirnov(std::vector<double>{4, 4}, std::vector<double>{4, 4, 4}).p,
                   1);
}

TEST(kolmogorov_smirnov, separated_samples_of_any_size) {
  // Two of the C(2n, n) orders are as far apart; p is below the smallest double.
  const std::size_t n = 7753;
  std::vector<double> low(n), high(n);
  for (std::size_t i = 0; i < n; ++i) high[i] = 1;
  const KolmogorovSmirnov found = kolmogorov_smirnov(low, high);
  EXPECT_EQ(found.statistic, 1);
  EXPECT_EQ(found.p, 0);
  const double size = static_cast<double>(n);
  const double expected =
      (std::log(2.0) - std::lgamma(2 * size + 1) + 2 * std::lgamma(size + 1)) / std::log(10.0);
  EXPECT_NEAR(found.log10_p, expected, 1e-6 * std::abs(expected));
}

TEST(kolmogorov_smirnov, limit_for_large_unequal_samples) {
  // Kolmogorov's table: P(sup > 1.3581 / sqrt(n m / (n + m))) = 0.05.
  const std::size_t n = 20000, m = 10001;
  const double en = static_cast<double>(n) * m / static_cast<double>(n + m);
  const double shift = 1.3581 / std::sqrt(en);
  std::vector<double> x(n), y(m);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
  for (std::size_t i = 0; i < m; ++i) {
    y[i] = (static_cast<double>(i) + 0.5) / static_cast<double>(m) + shift;
  }
  const KolmogorovSmirnov found = kolmogorov_smirnov(x, y);
  EXPECT_FALSE(found.exact);
  EXPECT_NEAR(found.statistic, shift, 2e-4);
  EXPECT_NEAR(found.p, 0.05, 0.002);
}

TEST(kolmogorov_smirnov, nothing_to_compare) {
  const std::vector<double> one = {1};
  EXPECT_TRUE(std::isnan(kolmogorov_smirnov(one, {}).p));
  EXPECT_TRUE(std::isnan(kolmogorov_smirnov(one, std::vector<double>{std::nan("")}).statistic));
}

}  // namespace
}  // namespace vestige::metrics
