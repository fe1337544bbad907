// Differences with two intervals and a p-value, by hand and against the plain tests.
#include "vestige/audit/verdicts/differences.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vestige/base/seed.h"
#include "vestige/metrics/stats/multiple_testing.h"
#include "vestige/metrics/stats/t_tests.h"

namespace vestige::audit {
namespace {

TEST(ModelDifference, IsWelch) {
  const std::vector<double> left = {3, 5, 4, 6}, right = {1, 2, 1.5};
  const Difference seen = model_difference(left, right);
  const metrics::WelchT plain = metrics::welch_t(left, right);
  EXPECT_DOUBLE_EQ(seen.estimate, 3);
  EXPECT_NEAR(seen.p, plain.p, 1e-12);
  EXPECT_NEAR(seen.lower, plain.lower, 1e-12);
  EXPECT_NEAR(seen.upper, plain.upper, 1e-12);
  const metrics::Equivalence tost = metrics::tost_welch(left, right, 5);
  EXPECT_NEAR(seen.lower90, tost.lower, 1e-12);
  EXPECT_NEAR(seen.upper90, tost.upper, 1e-12);
  EXPECT_EQ(seen.how, reason(Code::by_welch, 4, 3));
}

TEST(ModelDifference, OneModelAgainstAPool) {
  // Pool 1, 2, 3: mean 2, standard deviation 1. t = (5 - 2) / sqrt(1 + 1/3) = 2.598 with two
  // degrees of freedom: the two-sided p of Student's t with 2 degrees is 1 - t / sqrt(2 + t^2).
  const Difference seen = model_difference(std::vector<double>{5}, std::vector<double>{1, 2, 3});
  const double t = 3 / std::sqrt(4.0 / 3);
  EXPECT_DOUBLE_EQ(seen.estimate, 3);
  EXPECT_NEAR(seen.p, 1 - t / std::sqrt(2 + t * t), 1e-12);
  EXPECT_NEAR(seen.upper - seen.estimate, 4.302652729911275 * std::sqrt(4.0 / 3), 1e-9)
      << "the 97.5 % point of Student's t with 2 degrees, from tables";
  EXPECT_TRUE(std::isnan(model_difference(std::vector<double>{5}, std::vector<double>{1, 2}).p));
  EXPECT_TRUE(std::isnan(model_difference(std::vector<double>{5}, std::vector<double>{1, 1, 1}).p));
  EXPECT_TRUE(std::isnan(model_difference(std::vector<double>{5}, std::vector<double>{1}).p));
}

TEST(PairedDifference, FewPairsAreATTest) {
  const std::vector<double> left = {1, 2, 4, std::nan("")}, right = {0, 0, 1, 5};
  const Difference seen = paired_difference(left, right, 1);
  const metrics::PairedT plain = metrics::paired_t(
      std::span(left).first(3), std::span(right).first(3), metrics::Alternative::two_sided);
  EXPECT_NEAR(seen.p, plain.p, 1e-12);
  EXPECT_NEAR(seen.lower, plain.lower, 1e-12);
  EXPECT_EQ(seen.how, reason(Code::by_paired_t, 3));
  EXPECT_TRUE(std::isnan(paired_difference(left, std::vector<double>{1}, 1).p));
}

TEST(PairedDifference, NoDifferenceAtAll) {
  for (const std::size_t pairs : {5UL, 50UL, 5000UL}) {
    const std::vector<double> same(pairs, 0.5);
    const Difference none = paired_difference(same, same, 1);
    EXPECT_EQ(none.p, 1) << pairs;
    EXPECT_EQ(none.lower90, 0);
    EXPECT_EQ(none.upper90, 0);
    const std::vector<double> more(pairs, 0.75);
    const Difference constant = paired_difference(more, same, 1);
    EXPECT_LT(constant.p, 0.002) << pairs;
    EXPECT_EQ(constant.lower, 0.25);
  }
}

// Where both apply they agree: 500 pairs are a bootstrap, 501 a t-test.
TEST(PairedDifference, BootstrapAndTAgreeAtTheSeam) {
  Stream stream(1, "differences_test");
  std::vector<double> left, right(501, 0);
  for (int i = 0; i < 501; ++i) left.push_back(0.04 + stream.normal());
  const Difference t = paired_difference(left, right, 1);
  const Difference resampled =
      paired_difference(std::span(left).first(500), std::span(right).first(500), 1);
  EXPECT_EQ(resampled.how, reason(Code::by_paired_bootstrap, 500));
  EXPECT_NEAR(resampled.lower, t.lower, 0.01);
  EXPECT_NEAR(resampled.upper, t.upper, 0.01);
  EXPECT_NEAR(resampled.upper90, t.upper90, 0.01);
  // 2 sqrt(0.17 x 0.83 / 2000) = 0.017 is the standard error of a p of 0.34 from 2,000 resamples.
  EXPECT_NEAR(resampled.p, t.p, 3 * 0.017);
}

TEST(MoverDifference, ByHand) {
  const Difference seen = mover_difference({0.5, 0.4, 0.7}, {0.2, 0.1, 0.3});
  EXPECT_NEAR(seen.lower, 0.3 - std::sqrt(0.02), 1e-15);
  EXPECT_NEAR(seen.upper, 0.3 + std::sqrt(0.05), 1e-15);
  EXPECT_NEAR(seen.lower90, 0.3 - std::sqrt(0.02) * 1.6448536 / 1.9599640, 1e-7);
  // The interval excludes 0 exactly where p < 0.05: z = 1.96 x 0.3 / sqrt(0.02), and z / sqrt(2) =
  // 1.96 x 0.3 / 0.2.
  EXPECT_NEAR(seen.p, std::erfc(1.959963984540054 * 0.3 / 0.2), 1e-15);
  const Difference edge = mover_difference({0.1, 0, 0.2}, {0, 0, 0});
  EXPECT_NEAR(edge.p, 0.05, 1e-9);
  EXPECT_TRUE(std::isnan(mover_difference({0.1, metrics::kUndefined, 0.2}, {0, 0, 0}).p));
}

TEST(DifferenceOf, PrefersModelsThenRowsThenIntervals) {
  Side left{{3, 5}, {1, 0}, {4, 3, 5}}, right{{1, 2}, {0, 0}, {1, 0, 2}};
  EXPECT_EQ(difference(left, right, 1).how, reason(Code::by_welch, 2, 2));
  left.values = {4};
  right.values = {1};
  EXPECT_EQ(difference(left, right, 1).how, reason(Code::by_paired_t, 2));
  right.terms.clear();
  EXPECT_EQ(difference(left, right, 1).how, Reason(Code::by_mover));
}

// Holm: the smallest p times 3, the next times 2, the largest times 1, never falling.
TEST(HolmAdjusted, ByHand) {
  const auto adjusted = metrics::holm(std::vector<double>{0.04, 0.01, std::nan(""), 0.03});
  EXPECT_DOUBLE_EQ(adjusted[1], 0.03);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[0], 0.06);
  EXPECT_TRUE(std::isnan(adjusted[2]));
  EXPECT_EQ(metrics::holm(std::vector<double>{0.6, 0.7})[0], 1);
}

}  // namespace
}  // namespace vestige::audit
