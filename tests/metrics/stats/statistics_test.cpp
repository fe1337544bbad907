// Means, quantiles and intervals against hand calculations and textbook figures.
#include "vestige/metrics/stats/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

TEST(Statistics, MeanAndVarianceByHand) {
  const std::vector<double> values{2, 4, 4, 4, 5, 5, 7, 9};
  EXPECT_DOUBLE_EQ(mean(values), 5);
  EXPECT_DOUBLE_EQ(variance(values), 32.0 / 7);  // squares about 5: 9+1+1+1+0+0+4+16
  EXPECT_TRUE(std::isnan(mean({})));
  EXPECT_TRUE(std::isnan(variance(std::vector<double>{3})));
}

TEST(Statistics, VarianceSurvivesALargeOffset) {
  // A one-pass E[x^2] - mean^2 loses every digit here; the variance of {0, 1, 2} is 1.
  const std::vector<double> values{1e9, 1e9 + 1, 1e9 + 2};
  EXPECT_DOUBLE_EQ(variance(values), 1);
}

TEST(Statistics, QuantileFollowsNumpy) {
  // numpy.quantile([3, 1, 2, 10], q) for q = 0, .25, .5, .9, 1.
  const std::vector<double> values{3, 1, 2, 10};
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(values, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0.9), 7.9);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 10);
  EXPECT_DOUBLE_EQ(median(values), 2.5);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
  EXPECT_TRUE(std::isnan(quantile(std::vector<double>{1, std::nan("")}, 0.5)));
  EXPECT_THROW(quantile(values, 1.5), InputError);
}

TEST(Statistics, TIntervalFromTheTable) {
  // t(0.975, 4) = 2.776445 in any printed table; mean 3, sd sqrt(2.5), n 5.
  const Estimate interval = t_interval(std::vector<double>{1, 2, 3, 4, 5});
  EXPECT_DOUBLE_EQ(interval.value, 3);
  EXPECT_NEAR(interval.upper - 3, 2.776445 * std::sqrt(2.5 / 5), 1e-6);
  EXPECT_NEAR(3 - interval.lower, 2.776445 * std::sqrt(2.5 / 5), 1e-6);
  EXPECT_TRUE(std::isnan(t_interval(std::vector<double>{1}).lower));
  EXPECT_THROW(t_interval(std::vector<double>{1, 2}, 1.0), InputError);
}

TEST(Statistics, ClopperPearsonSolvesItsTails) {
  // By definition: P(X >= 8 | lower) = P(X <= 8 | upper) = 0.025 for X ~ Binomial(10, p).
  const auto tail = [](double p, int from, int to) {
    double sum = 0;
    for (int k = from; k <= to; ++k) {
      sum += std::tgamma(11) / (std::tgamma(k + 1) * std::tgamma(11 - k)) * std::pow(p, k) *
             std::pow(1 - p, 10 - k);
    }
    return sum;
  };
  const Estimate interval = clopper_pearson(8, 10);
  EXPECT_DOUBLE_EQ(interval.value, 0.8);
  EXPECT_NEAR(tail(interval.lower, 8, 10), 0.025, 1e-12);
  EXPECT_NEAR(tail(interval.upper, 0, 8), 0.025, 1e-12);
}

TEST(Statistics, ClopperPearsonAtTheEnds) {
  // Closed form: no success in n has upper end 1 - 0.025^(1/n).
  EXPECT_DOUBLE_EQ(clopper_pearson(0, 20).lower, 0);
  EXPECT_NEAR(clopper_pearson(0, 20).upper, 1 - std::pow(0.025, 1.0 / 20), 1e-12);
  EXPECT_DOUBLE_EQ(clopper_pearson(20, 20).upper, 1);
  EXPECT_TRUE(std::isnan(clopper_pearson(0, 0).value));
  EXPECT_THROW(clopper_pearson(3, 2), InputError);
}

}  // namespace
}  // namespace vestige::metrics
