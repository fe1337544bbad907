// Leaks of k samples: by hand, and against every way to draw k of n samples.
#include "vestige/metrics/lm/sampled_leaks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace vestige::metrics {
namespace {

/// The mean over all subsets of k values of what `of` makes of the subset.
template <typename Of>
double mean_over_subsets(const std::vector<double>& values, std::size_t k, const Of& of) {
  double sum = 0, count = 0;
  for (unsigned mask = 0; mask < (1U << values.size()); ++mask) {
    if (static_cast<std::size_t>(std::popcount(mask)) != k) continue;
    std::vector<double> subset;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if ((mask >> i & 1U) != 0) subset.push_back(values[i]);
    }
    sum += of(subset);
    count += 1;
  }
  return sum / count;
}

}  // namespace

TEST(sampled_leaks, by_hand) {
  // One of four leaks: two samples miss it in 3 of 6 draws.
  EXPECT_DOUBLE_EQ(leak_at_k(4, 1, 2), 0.5);
  EXPECT_EQ(leak_at_k(4, 0, 4), 0);
  EXPECT_EQ(leak_at_k(4, 1, 4), 1);
  EXPECT_DOUBLE_EQ(leak_at_k(10, 3, 1), 0.3);
  // The largest of two of {0, 0.5, 1}: 0.5, 1 and 1.
  EXPECT_DOUBLE_EQ(expected_largest(std::vector<double>{0.5, 1, 0}, 2), 2.5 / 3);
  EXPECT_EQ(numbers_of_samples(1), (std::vector<std::size_t>{1}));
  EXPECT_EQ(numbers_of_samples(5), (std::vector<std::size_t>{1, 2, 4, 5}));
  EXPECT_EQ(numbers_of_samples(8), (std::vector<std::size_t>{1, 2, 4, 8}));
}

TEST(sampled_leaks, are_the_mean_over_every_draw) {
  const std::vector<double> values = {0.1, 0.9, 0.4, 0.4, 0.95, 0.0, 1.0};
  for (std::size_t k = 1; k <= values.size(); ++k) {
    EXPECT_NEAR(expected_largest(values, k),
                mean_over_subsets(values, k,
                                  [](const auto& subset) {
                                    return *std::max_element(subset.begin(), subset.end());
                                  }),
                1e-12);
    // Three of seven are at least 0.9.
    EXPECT_NEAR(leak_at_k(values.size(), 3, k),
                mean_over_subsets(values, k,
                                  [](const auto& subset) {
                                    return std::any_of(subset.begin(), subset.end(),
                                                       [](double value) { return value >= 0.9; })
                                               ? 1.0
                                               : 0.0;
                                  }),
                1e-12);
  }
}

TEST(sampled_leaks, many_samples_do_not_overflow) {
  // C(2000, 1000) is beyond a double. One leaking sample among 2,000 is in half of the draws.
  EXPECT_NEAR(leak_at_k(2000, 1, 1000), 0.5, 1e-12);
  std::vector<double> values(2000);
  values[7] = 1;
  EXPECT_NEAR(expected_largest(values, 1000), 0.5, 1e-12);
}

TEST(sampled_leaks, extraction_of_one_sequence) {
  EXPECT_DOUBLE_EQ(extraction_probability(std::log(0.5), 2), 0.75);
  EXPECT_EQ(extraction_probability(0, 1), 1);
  // 1 - (1 - p)^n is n p up to n^2 p^2 / 2, far below what 1 - p can hold.
  EXPECT_NEAR(extraction_probability(-60, 1000) / (1000 * std::exp(-60.0)), 1, 1e-12);
  EXPECT_EQ(extraction_probability(-2000, 1e6), 0);
}

}  // namespace vestige::metrics
