// MIAU's arithmetic against the paper's figures, the reference cases and hand calculation.
#include "vestige/metrics/miau/miau.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/metrics/support/attack_case.h"
#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

std::array<double, 3> three(const std::vector<double>& values) {
  return {values.at(0), values.at(1), values.at(2)};
}

TEST(Miau, ReferenceCases) {
  for (const char* name : {"baseline", "gap_zero", "retrain", "weights"}) {
    const AttackCase test_case("miau", name);
    const MiauScore result = miau_score(
        three(test_case.input("B")), three(test_case.input("R")), three(test_case.input("M")),
        {.alpha = test_case.parameter("alpha"), .weights = three(test_case.input("weights"))});
    test_case.check("f", {result.closure.begin(), result.closure.end()});
    test_case.check("mus", {result.mus.begin(), result.mus.end()});
    test_case.check("miau", {result.score});
  }
}

TEST(Miau, EndpointsOfThePaper) {
  // Printed in every table of the paper: baseline 0.1007, retrain 99.8993.
  const std::array<double, 3> original{52, 55, 57}, retrained{50, 51, 58};
  EXPECT_NEAR(miau_score(original, retrained, original).score, 0.1007, 5e-5);
  EXPECT_NEAR(miau_score(original, retrained, retrained).score, 99.8993, 5e-5);
}

TEST(Miau, GapClosureByHand) {
  EXPECT_DOUBLE_EQ(gap_closure(60, 50, 55), 0.5);
  EXPECT_DOUBLE_EQ(gap_closure(60, 50, 45), 0.5);  // the distance counts, not the side
  EXPECT_DOUBLE_EQ(gap_closure(60, 50, 70), -1);
  EXPECT_DOUBLE_EQ(matching_score(0.5), 50);
}

TEST(Miau, NoGapIsDefined) {
  // B = R: f = 0 whatever M is (paper, below eq. 1), so MUS = 100 / (1 + e^6.9).
  EXPECT_DOUBLE_EQ(gap_closure(50, 50, 80), 0);
  EXPECT_NEAR(matching_score(gap_closure(50, 50, 80)), 100 / (1 + std::exp(6.9)), 1e-12);
}

TEST(Miau, RefusesBadWeights) {
  const std::array<double, 3> any{50, 50, 50};
  EXPECT_THROW(miau_score(any, any, any, {.weights = {0.5, 0.5, 0.5}}), InputError);
  EXPECT_THROW(miau_score(any, any, any, {.weights = {-0.5, 1, 0.5}}), InputError);
  EXPECT_THROW(miau_score(any, any, any, {.alpha = 0}), InputError);
  EXPECT_NO_THROW(miau_score(any, any, any, {.weights = {1, 0, 0}}));
  try {
    check_miau_options({.weights = {0.5, 0.25, 0.5}});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "MIAU: weights 0.5, 0.25 and 0.5 sum to 1.25: they must sum to 1");
  }
}

TEST(Miau, ReliabilityNeedsPercentilesOnOneSide) {
  // 20 differences 1 .. 20: percentiles 1.475 and 19.525 by numpy's rule.
  std::vector<double> original, retrained;
  for (int seed = 0; seed < 20; ++seed) {
    original.push_back(51 + seed);
    retrained.push_back(50);
  }
  const TaskReliability clear = task_reliability(original, retrained);
  EXPECT_TRUE(clear.reliable);
  EXPECT_NEAR(clear.lower, 1.475, 1e-12);
  EXPECT_NEAR(clear.upper, 19.525, 1e-12);
  EXPECT_TRUE(task_reliability(retrained, original).reliable);
  original[0] = original[1] = 40;
  EXPECT_FALSE(task_reliability(original, retrained).reliable);
  EXPECT_FALSE(task_reliability(retrained, retrained).reliable);
  EXPECT_THROW(task_reliability(original, std::vector<double>{1}), InputError);
}

TEST(Miau, GradedRetrains) {
  const GradedSummary summary =
      graded_summary({{75, {60, 62, 70}}, {25, {10, 12, 11}}, {50, {30, 28, 35}}});
  EXPECT_EQ(summary.removed, (std::vector<double>{25, 50, 75}));
  EXPECT_TRUE(summary.monotone);
  ASSERT_EQ(summary.tests.size(), 3u);
  // 50 > 25: differences 20, 16, 24: mean 20, sd 4, d = 5.
  EXPECT_EQ(summary.tests[0].higher, 50);
  EXPECT_EQ(summary.tests[0].lower, 25);
  EXPECT_DOUBLE_EQ(summary.tests[0].mean_difference, 20);
  EXPECT_DOUBLE_EQ(summary.tests[0].cohen_d, 5);
  EXPECT_LT(summary.tests[0].p, 0.01);
  EXPECT_FALSE(graded_summary({{25, {10, 12}}, {50, {9, 12}}}).monotone);
  EXPECT_THROW(graded_summary({{25, {10, 12}}}), InputError);
}

// "Final score" of Choi and Na's published table (MUFAC) from its "Test Acc" and "MIA", which is
// the attack's distance from one half: original, retrained, fine-tuning, gradient ascent, SCRUB.
TEST(Miau, NomusAsPublished) {
  const double published[][3] = {{0.5951, 0.2136, 0.5839},
                                 {0.4880, 0.0445, 0.6995},
                                 {0.6055, 0.2129, 0.5898},
                                 {0.4048, 0.0485, 0.6539},
                                 {0.5984, 0.1415, 0.6577}};
  for (const auto& [accuracy, distance, score] : published) {
    EXPECT_NEAR(nomus(accuracy, 0.5 + distance), score, 1e-4);
    EXPECT_NEAR(nomus(accuracy, 0.5 - distance), score, 1e-4);
  }
  EXPECT_EQ(nomus(1, 0.5), 1);
  EXPECT_EQ(nomus(0, 1), 0);
  EXPECT_EQ(nomus(0.25, 1, 1), 0.25);
}

}  // namespace
}  // namespace vestige::metrics
