// Wilcoxon's signed-rank test against its tables and a count over all signs.
#include "vestige/metrics/stats/signed_rank.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "vestige/metrics/stats/rank_tests.h"

namespace vestige::metrics {
namespace {

TEST(SignedRank, AllPositiveByHand) {
  // n = 5, all positive: W+ = 15, one of 32 sign patterns reaches it.
  const SignedRank seen = signed_rank(std::vector<double>{0.3, 1.1, 0.2, 2.0, 0.7});
  EXPECT_EQ(seen.n, 5u);
  EXPECT_DOUBLE_EQ(seen.positive, 15);
  EXPECT_DOUBLE_EQ(seen.p, 2.0 / 32);
  EXPECT_TRUE(seen.exact);
}

TEST(SignedRank, DarwinsMaize) {
  // Darwin's 15 pairs of maize, differences in eighths of an inch (Fisher, The Design of
  // Experiments, 1935): the negative ranks sum to 24; tables give a two-sided p of 0.041.
  const std::vector<double> differences{49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};
  const SignedRank seen = signed_rank(differences);
  EXPECT_DOUBLE_EQ(seen.positive, 120 - 24);
  EXPECT_NEAR(seen.p, 0.0413, 5e-5);
}

/// Plain twin: every pattern of signs.
double over_all_signs(const std::vector<double>& differences) {
  std::vector<double> sizes;
  for (const double value : differences) sizes.push_back(std::abs(value));
  const std::vector<double> ranks = mid_ranks(sizes);
  double observed = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) observed += differences[i] > 0 ? ranks[i] : 0;
  double above = 0, below = 0;
  const std::size_t patterns = std::size_t{1} << ranks.size();
  for (std::size_t signs = 0; signs < patterns; ++signs) {
    double sum = 0;
    for (std::size_t i = 0; i < ranks.size(); ++i) sum += (signs >> i & 1) != 0 ? ranks[i] : 0;
    if (sum >= observed) above += 1;
    if (sum <= observed) below += 1;
  }
  return std::min(1.0, 2 * std::min(above, below) / static_cast<double>(patterns));
}

TEST(SignedRank, TiesAgreeWithACountOverAllSigns) {
  const std::vector<double> differences{1, 1, -1, 2, 2, 3, -2, 4, 4, 5};
  EXPECT_NEAR(signed_rank(differences).p, over_all_signs(differences), 1e-12);
}

TEST(SignedRank, ZerosAreLeftOutAndNothingIsUndefined) {
  EXPECT_EQ(signed_rank(std::vector<double>{0, 1, 2, 0}).n, 2u);
  EXPECT_TRUE(std::isnan(signed_rank(std::vector<double>{0, 0}).p));
  EXPECT_TRUE(std::isnan(signed_rank(std::vector<double>{1, std::nan("")}).p));
}

TEST(SignedRank, NormalMeetsExactNearTheBorder) {
  // 50 differences are exact, 51 normal: with the same pattern the two must be close.
  std::vector<double> differences;
  for (int i = 1; i <= 50; ++i) differences.push_back(i % 3 == 0 ? -i : i);
  const SignedRank exact = signed_rank(differences);
  differences.push_back(1e-3);
  const SignedRank normal = signed_rank(differences);
  EXPECT_TRUE(exact.exact);
  EXPECT_FALSE(normal.exact);
  EXPECT_NEAR(exact.p, normal.p, 0.2 * exact.p);
  EXPECT_LT(signed_rank(differences, Alternative::greater).p, 0.05);
  EXPECT_GT(signed_rank(differences, Alternative::less).p, 0.95);
}

}  // namespace
}  // namespace vestige::metrics
