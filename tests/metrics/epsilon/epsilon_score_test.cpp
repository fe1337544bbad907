// Points, F and the final score: hand calculations and the public scorer's cases.
#include "vestige/metrics/epsilon/epsilon_score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "vestige/audit/conformance/conformance.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// ceil(ln(N - 1)) / 0.5: ln 511 = 6.2, ln 39 = 3.7, ln 19 = 2.9, ln 2 = 0.7, ln 1 = 0.
TEST(EpsilonScore, BinsEndAtTheLargestVisibleEpsilon) {
  EXPECT_EQ(epsilon_bins(512), 14U);
  EXPECT_EQ(epsilon_bins(40), 8U);
  EXPECT_EQ(epsilon_bins(20), 6U);
  EXPECT_EQ(epsilon_bins(3), 2U);
  EXPECT_EQ(epsilon_bins(2), 0U);
  EXPECT_EQ(epsilon_bins(1), 0U);
  EXPECT_EQ(epsilon_bins(0), 0U);
}

// The public code: 1 below 0.5, halved at each bin edge, 0 beyond the last bin (3 for N = 20).
TEST(EpsilonScore, PointsHalveFromBinToBin) {
  EXPECT_EQ(forget_points(0, 20), 1);
  EXPECT_EQ(forget_points(std::nextafter(0.5, 0), 20), 1);
  EXPECT_EQ(forget_points(0.5, 20), 0.5);
  EXPECT_EQ(forget_points(1.2, 20), 0.25);
  EXPECT_EQ(forget_points(2.999, 20), 1.0 / 32);
  EXPECT_EQ(forget_points(3, 20), 0);
  EXPECT_EQ(forget_points(50, 20), 0);
  EXPECT_TRUE(std::isnan(forget_points(kNaN, 20)));
}

TEST(EpsilonScore, AgreesWithThePublicScorerOnItsCases) {
  const auto folder = std::filesystem::path(VESTIGE_SOURCE_DIR) / "tests/reference/dm_forget_score";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const auto test_case = audit::read_case(entry.path() / "case.json");
    const auto models = static_cast<std::size_t>(test_case.parameter("num_models", 0));
    EXPECT_NEAR(forget_score(test_case.numbers("epsilon"), models).value,
                test_case.expected.at("forget_score").doubles()[0], test_case.absolute)
        << test_case.name;
  }
}

TEST(EpsilonScore, UndefinedRowsAreLeftOutOrPropagate) {
  const std::vector<double> epsilons = {0, kNaN, 0.6, kNaN};
  const ForgetScore kept = forget_score(epsilons, 20);
  EXPECT_EQ(kept.value, 0.75);
  EXPECT_EQ(kept.undefined, 2U);
  ASSERT_EQ(kept.points.size(), 4U);
  EXPECT_TRUE(std::isnan(kept.points[1]));
  EXPECT_TRUE(std::isnan(forget_score(epsilons, 20, UndefinedRows::propagate).value));
  EXPECT_TRUE(std::isnan(forget_score(std::vector<double>{kNaN}, 20).value));
  EXPECT_TRUE(std::isnan(forget_score(std::vector<double>{}, 20).value));
}

// Equation 2 by hand: 0.1 x (0.9 / 1) x (0.8 / 0.9) = 0.08.
// By hand, N = 20 (bins end at ceil(ln 19) = 3). eps .1, .6 and 2.6 are worth 1, 1/2 and 1/32.
TEST(EpsilonScore, AggregationsByHand) {
  const std::vector<double> epsilons = {0.6, kNaN, 0.1, 2.6};
  const auto score = [&](PointsOptions options) {
    return forget_score(epsilons, 20, UndefinedRows::leave_out, options).value;
  };
  EXPECT_EQ(score({}), (1 + 0.5 + 1.0 / 32) / 3);
  EXPECT_EQ(score({.aggregation = Aggregation::median}), 0.5);        // eps .6
  EXPECT_EQ(score({.aggregation = Aggregation::maximum}), 1.0 / 32);  // eps 2.6
  // 3/4 of the way: .6 + .5 (2.6 - .6) = 1.6, in bin 3.
  EXPECT_EQ(score({.aggregation = Aggregation::quantile, .quantile = 0.75}), 1.0 / 8);
  // Bins of width 1: 1, 1, 1/4; of width .3 there are ten, and 2.6 is in the ninth.
  EXPECT_EQ(score({.bin_width = 1}), 0.75);
  EXPECT_EQ(epsilon_bins(20, 1), 3U);
  EXPECT_EQ(epsilon_bins(20, 0.3), 10U);
  EXPECT_EQ(epsilon_bins(20, 0.7), 5U);
  EXPECT_EQ(forget_points(2.6, 20, 0.3), 1.0 / 256);
  EXPECT_EQ(forget_points(3, 20, 1), 0);
  EXPECT_TRUE(std::isnan(
      aggregate_epsilon(std::vector<double>{kNaN}, {.aggregation = Aggregation::maximum})));
  EXPECT_TRUE(std::isnan(
      forget_score(epsilons, 20, UndefinedRows::propagate, {.aggregation = Aggregation::median})
          .value));
}

TEST(EpsilonScore, FinalScoreMultipliesAccuracyRatios) {
  const UtilityAccuracies accuracies{
      .unlearned_retain = 0.9, .retrained_retain = 1, .unlearned_test = 0.8, .retrained_test = 0.9};
  EXPECT_NEAR(final_score(0.1, accuracies), 0.08, 1e-15);
  EXPECT_TRUE(std::isnan(final_score(kNaN, accuracies)));
  UtilityAccuracies broken = accuracies;
  broken.retrained_test = 0;
  EXPECT_TRUE(std::isnan(utility_factor(broken)));
  EXPECT_TRUE(std::isnan(utility_factor({})));
}

TEST(EpsilonScore, MedianLeavesOutUndefinedRows) {
  EXPECT_EQ(median_epsilon(std::vector<double>{3, kNaN, 1}), 2);
  EXPECT_EQ(median_epsilon(std::vector<double>{3, 50, 1}), 3);
  EXPECT_TRUE(std::isnan(median_epsilon(std::vector<double>{kNaN})));
}

// Column 0: separated (50); column 1: equal constants, 0 in exact mode, undefined in reference
// mode.
TEST(EpsilonScore, QualityOfAMatrixInBothModes) {
  Matrix unlearned(4, 2);
  Matrix retrained(3, 2);
  for (std::size_t model = 0; model < 4; ++model) {
    unlearned(model, 0) = static_cast<double>(model);
    unlearned(model, 1) = 1;
  }
  for (std::size_t model = 0; model < 3; ++model) {
    retrained(model, 0) = 10 + static_cast<double>(model);
    retrained(model, 1) = 1;
  }
  const ForgetQuality unequal = forget_quality(unlearned, retrained);
  EXPECT_EQ(unequal.models, 3U);
  EXPECT_EQ(unequal.separated, 1U);
  EXPECT_EQ(unequal.score.undefined, 1U);  // four ones and three ones are not equal as multisets
  EXPECT_EQ(unequal.score.value, 0);

  Matrix same(3, 2);
  for (std::size_t model = 0; model < 3; ++model) {
    same(model, 0) = static_cast<double>(model);
    same(model, 1) = 1;
  }
  EXPECT_EQ(forget_quality(same, retrained).score.value, 0.5);
  const ForgetQuality reference = forget_quality(same, retrained, EpsilonMode::reference);
  EXPECT_EQ(reference.epsilons[0], 50);
  EXPECT_TRUE(std::isnan(reference.score.value));
}

/// Confidences as float16 holds them between 8 and 16: multiples of 2^-7.
Matrix in_half_precision(Matrix values) {
  for (double& value : values.values()) value = std::nearbyint(value * 128) / 128;
  return values;
}

Matrix in_single_precision(Matrix values) {
  for (double& value : values.values()) value = static_cast<double>(static_cast<float>(value));
  return values;
}

// Sure models answer with logits near 12 whose spread over trainings is a few steps of float16.
// Rounding keeps the order, so that every cut of the rounded sample is one of the sample: eps can
// only fall and F only rise. float32 makes no ties here, and F stays to the bit.
TEST(EpsilonScore, HalfPrecisionRaisesFAndSinglePrecisionKeepsIt) {
  constexpr std::size_t kPool = 256, kExamples = 40;
  Matrix unlearned(kPool, kExamples), retrained(kPool, kExamples);
  Stream stream(1, "test.epsilon.precision");
  for (double& value : unlearned.values()) value = 12 + 0.02 * stream.normal();
  for (double& value : retrained.values()) value = 12.02 + 0.02 * stream.normal();
  const ForgetQuality exact = forget_quality(unlearned, retrained);
  const ForgetQuality half =
      forget_quality(in_half_precision(unlearned), in_half_precision(retrained));
  const ForgetQuality single =
      forget_quality(in_single_precision(unlearned), in_single_precision(retrained));
  for (std::size_t row = 0; row < kExamples; ++row) {
    EXPECT_LE(half.epsilons[row], exact.epsilons[row]) << row;
    EXPECT_EQ(single.epsilons[row], exact.epsilons[row]) << row;
  }
  EXPECT_GT(half.score.value, 1.1 * exact.score.value);
  EXPECT_EQ(single.score.value, exact.score.value);
}

}  // namespace
}  // namespace vestige::metrics
