// Adjusted p-values against hand calculations and the paper's own example.
#include "vestige/metrics/stats/multiple_testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

// Benjamini and Hochberg (1995), section 3.2: 15 hypotheses on thrombolysis (Neuhaus et al. 1992).
const std::vector<double> kNeuhaus = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201,
                                      0.0278, 0.0298, 0.0344, 0.0459, 0.3240,
                                      0.4262, 0.5719, 0.6528, 0.7590, 1.0000};

long rejected(const std::vector<double>& adjusted) {
  return std::count_if(adjusted.begin(), adjusted.end(), [](double p) { return p <= 0.05; });
}

TEST(MultipleTesting, BenjaminiHochbergRejectsFourOfThePapersFifteen) {
  // The paper: p(4) = 0.0095 <= 4 / 15 * 0.05 = 0.013 is the last that passes, so four are
  // rejected; Bonferroni (0.05 / 15 = 0.0033) rejects three.
  const std::vector<double> adjusted = benjamini_hochberg(kNeuhaus);
  EXPECT_EQ(rejected(adjusted), 4);
  EXPECT_NEAR(adjusted[3], 0.0095 * 15 / 4, 1e-15);
  // min over k >= 5 of p(k) 15 / k: 0.0603 (5), 0.0695, 0.0639, 0.0645, 0.0765 (9), ...
  EXPECT_NEAR(adjusted[4], 0.0603, 1e-15);
}

TEST(MultipleTesting, HolmRejectsThreeOfThePapersFifteen) {
  // 0.0001 * 15, 0.0004 * 14, 0.0019 * 13 = 0.0247; 0.0095 * 12 = 0.114.
  const std::vector<double> adjusted = holm(kNeuhaus);
  EXPECT_EQ(rejected(adjusted), 3);
  EXPECT_NEAR(adjusted[2], 0.0247, 1e-15);
  EXPECT_NEAR(adjusted[3], 0.114, 1e-15);
}

TEST(MultipleTesting, HolmByHand) {
  // Sorted .01 .03 .04 -> .03, .06, max(.06, .04) = .06; NaN does not count.
  const std::vector<double> adjusted = holm(std::vector<double>{0.04, 0.01, std::nan(""), 0.03});
  EXPECT_DOUBLE_EQ(adjusted[0], 0.06);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.03);
  EXPECT_TRUE(std::isnan(adjusted[2]));
  EXPECT_DOUBLE_EQ(adjusted[3], 0.06);
  EXPECT_DOUBLE_EQ(holm(std::vector<double>{0.9, 0.8})[0], 1.0);
  EXPECT_THROW(holm(std::vector<double>{-0.1}), InputError);
}

TEST(MultipleTesting, BenjaminiHochbergByHand) {
  // Sorted p: .01 .02 .03 .04 -> p n / rank = .04 .04 .04 .04, cumulative minimum from the top.
  const std::vector<double> adjusted =
      benjamini_hochberg(std::vector<double>{0.04, 0.01, 0.03, 0.02});
  for (const double p : adjusted) EXPECT_DOUBLE_EQ(p, 0.04);
  // .001*3/1, .5*3/2, .9*3/3
  const std::vector<double> other = benjamini_hochberg(std::vector<double>{0.5, 0.9, 0.001});
  EXPECT_DOUBLE_EQ(other[0], 0.75);
  EXPECT_DOUBLE_EQ(other[1], 0.9);
  EXPECT_DOUBLE_EQ(other[2], 0.003);
}

TEST(MultipleTesting, BenjaminiHochbergLeavesUndefinedOut) {
  const std::vector<double> adjusted =
      benjamini_hochberg(std::vector<double>{0.02, std::nan(""), 0.5});
  EXPECT_DOUBLE_EQ(adjusted[0], 0.04);
  EXPECT_TRUE(std::isnan(adjusted[1]));
  EXPECT_DOUBLE_EQ(adjusted[2], 0.5);
  EXPECT_THROW(benjamini_hochberg(std::vector<double>{1.2}), InputError);
}

}  // namespace
}  // namespace vestige::metrics
