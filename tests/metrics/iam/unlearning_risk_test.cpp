// Rates, groups and cross-entropy by hand.
#include "vestige/metrics/iam/unlearning_risk.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

TEST(UnlearningRisk, RatesGroupsAndWorstRows) {
  const std::vector<double> scores = {0.05, 0.9, 0.1, 0.3, kUndefined};
  const std::vector<std::int64_t> classes = {0, 1, 1, 1, 0};
  const std::vector<std::string> subjects = {"ann", "bob", "ann", "cat", "cat"};
  const std::vector<double> confidence = {0.05, 0.5, 0.1, 0.9, 0.95};
  const RiskRate risk =
      risk_rate(scores, Risk::under_unlearned, 0.1, {classes, subjects, confidence});
  EXPECT_EQ(risk.n, 4U);
  EXPECT_EQ(risk.flagged, 2U);  // 0.1 is not above 0.1
  EXPECT_EQ(risk.rate.value, 0.5);
  EXPECT_NEAR(risk.rate.lower, 0.0675859, 1e-6);  // Clopper-Pearson 2 of 4 (R: binom.test)
  EXPECT_NEAR(risk.rate.upper, 0.9324141, 1e-6);
  EXPECT_EQ(risk.worst, (std::vector<std::size_t>{1, 3}));
  ASSERT_EQ(risk.by_class.size(), 2U);
  EXPECT_EQ(risk.by_class[0].rate.value, 0);
  EXPECT_NEAR(risk.by_class[1].rate.value, 2.0 / 3, 1e-15);
  ASSERT_EQ(risk.by_subject.size(), 3U);
  EXPECT_EQ(risk.by_subject[0].group, "bob");
  EXPECT_EQ(risk.by_subject[1].group, "cat");
  EXPECT_EQ(risk.by_subject[2].group, "ann");
  ASSERT_EQ(risk.by_difficulty.size(), 3U);
  EXPECT_EQ(risk.by_difficulty[0].group, "hard");
  EXPECT_EQ(risk.by_difficulty[1].n, 2U);
  EXPECT_EQ(risk.by_difficulty[2].rate.value, 1);  // 0.9 counts as easy
}

TEST(UnlearningRisk, OverUnlearnedLooksBelow) {
  const std::vector<double> scores = {0.5, 0.7, 0.6, 0.2};
  const RiskRate risk = risk_rate(scores, Risk::over_unlearned, 0.6, {}, 1);
  EXPECT_EQ(risk.flagged, 2U);
  EXPECT_EQ(risk.worst, (std::vector<std::size_t>{3}));
}

TEST(UnlearningRisk, NothingToCountIsUndefined) {
  EXPECT_TRUE(std::isnan(risk_rate({}, Risk::under_unlearned, 0.1).rate.value));
  const std::vector<double> scores = {0.5};
  const std::vector<std::int64_t> classes = {1, 2};
  EXPECT_THROW(risk_rate(scores, Risk::under_unlearned, 0.1, {.classes = classes}), InputError);
}

TEST(UnlearningRisk, CrossEntropyByHand) {
  // Two retained at 1/2, one forgotten at 1/4, w = 1/2: -(1/2 * 2 ln 1/2 + ln 3/4) / 3.
  const std::vector<double> forget = {0.25}, retain = {0.5, 0.5};
  EXPECT_NEAR(weighted_cross_entropy(forget, retain), (std::log(2.0) - std::log(0.75)) / 3, 1e-15);
  // Scores on the wrong ends are cut at 1e-12.
  const std::vector<double> one = {1}, zero = {0};
  EXPECT_NEAR(weighted_cross_entropy(one, zero), -std::log(1e-12), 1e-3);
  EXPECT_TRUE(std::isnan(weighted_cross_entropy({}, retain)));
  const std::vector<double> bad = {kUndefined};
  EXPECT_TRUE(std::isnan(weighted_cross_entropy(bad, retain)));
}

}  // namespace
}  // namespace vestige::metrics
