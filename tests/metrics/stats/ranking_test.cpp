// Rankings, Kendall's tau-b and Page's test against hand calculations and textbook figures.
#include "vestige/metrics/stats/ranking.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

Matrix matrix(const std::vector<std::vector<double>>& rows) {
  Matrix result(rows.size(), rows.empty() ? 0 : rows[0].size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows[i].size(); ++j) result(i, j) = rows[i][j];
  }
  return result;
}

TEST(Ranking, MeanRanksByHand) {
  // Ranks: (1, 2, 3), (1.5, 1.5, 3), (2, 1, 3).
  const std::vector<Ranked> seen =
      rank_over_blocks(matrix({{0.1, 0.2, 0.9}, {0.3, 0.3, 0.4}, {0.5, 0.2, 0.8}}));
  EXPECT_DOUBLE_EQ(seen[0].rank.value, 1.5);
  EXPECT_DOUBLE_EQ(seen[1].rank.value, 1.5);
  EXPECT_DOUBLE_EQ(seen[2].rank.value, 3);
  EXPECT_DOUBLE_EQ(seen[0].mean_value, 0.3);
  EXPECT_DOUBLE_EQ(seen[2].best, 0);
  EXPECT_NEAR(seen[0].best + seen[1].best, 1, 1e-12);
  EXPECT_NEAR(seen[0].best, 0.5, 0.05);  // by symmetry
  EXPECT_DOUBLE_EQ(seen[2].rank.lower, 3);
  EXPECT_DOUBLE_EQ(seen[2].rank.upper, 3);
}

// Demsar (2006), section 3.2.2: four classifiers, 14 data sets, 2.569 sqrt(4 * 5 / (6 * 14))
// = 1.25.
TEST(Ranking, CriticalDifferenceOfThePaper) {
  EXPECT_NEAR(critical_difference(4, 14), 1.25, 0.005);
  EXPECT_NEAR(critical_difference(2, 6), 1.960 * std::sqrt(1.0 / 6), 1e-12);
  EXPECT_TRUE(std::isnan(critical_difference(4, 1)));
  EXPECT_TRUE(std::isnan(critical_difference(1, 14)));
  EXPECT_TRUE(std::isnan(critical_difference(21, 14)));
}

TEST(Ranking, TwoBlocksHaveThreeResamples) {
  // Item 0 is first in block 0 and last in block 1. Resamples {0,0}, {0,1}, {1,1} have probability
  // 1/4, 1/2, 1/4; in the mixed one both mean ranks are 1.5 and share the first place.
  const std::vector<Ranked> seen = rank_over_blocks(matrix({{1, 2}, {2, 1}}), {.resamples = 20000});
  EXPECT_NEAR(seen[0].best, 0.5, 0.02);
  EXPECT_DOUBLE_EQ(seen[0].rank.lower, 1);
  EXPECT_DOUBLE_EQ(seen[0].rank.upper, 2);
}

TEST(Ranking, SameBytesForAnyThreadsAndUndefinedForOneBlock) {
  const Matrix values = matrix({{1, 2, 3}, {2, 3, 1}, {1, 3, 2}, {3, 2, 1}});
  const std::vector<Ranked> one =
      Context({.threads = 1}).run([&] { return rank_over_blocks(values); });
  const std::vector<Ranked> many =
      Context({.threads = 0}).run([&] { return rank_over_blocks(values); });
  for (std::size_t item = 0; item < 3; ++item) EXPECT_EQ(one[item].best, many[item].best);
  const std::vector<Ranked> single = rank_over_blocks(matrix({{1, 2}}));
  EXPECT_DOUBLE_EQ(single[0].rank.value, 1);
  EXPECT_TRUE(std::isnan(single[0].best));
}

TEST(Ranking, KendallByHand) {
  // x 1 2 3 4, y 1 3 2 4: five concordant, one discordant: tau 4 / 6; of 24 orders those with
  // |S| >= 4 are S = 6 (1), 4 (3), -4 (3), -6 (1): p = 8 / 24.
  const Kendall seen =
      kendall_tau(std::vector<double>{1, 2, 3, 4}, std::vector<double>{1, 3, 2, 4});
  EXPECT_NEAR(seen.tau, 4.0 / 6, 1e-15);
  EXPECT_NEAR(seen.p, 8.0 / 24, 1e-15);
}

TEST(Ranking, KendallWithTiesByHand) {
  // x 1 1 2 3, y 1 2 2 3. Pairs: (1,2) tied in x, (2,3) tied in y, the other four concordant.
  // tau-b = 4 / sqrt(5 * 5).
  const Kendall seen =
      kendall_tau(std::vector<double>{1, 1, 2, 3}, std::vector<double>{1, 2, 2, 3});
  EXPECT_NEAR(seen.tau, 0.8, 1e-15);
  EXPECT_TRUE(
      std::isnan(kendall_tau(std::vector<double>{1, 1, 1}, std::vector<double>{1, 2, 3}).tau));
  EXPECT_TRUE(std::isnan(kendall_tau(std::vector<double>{1}, std::vector<double>{1}).tau));
}

/// tau-b by all pairs.
double tau_by_pairs(const std::vector<double>& x, const std::vector<double>& y) {
  const auto sign = [](double value) { return (value > 0) - (value < 0); };
  double score = 0, untied_x = 0, untied_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = i + 1; j < x.size(); ++j) {
      score += sign(x[i] - x[j]) * sign(y[i] - y[j]);
      untied_x += x[i] != x[j] ? 1 : 0;
      untied_y += y[i] != y[j] ? 1 : 0;
    }
  }
  return score / std::sqrt(untied_x * untied_y);
}

// From 32 values on pairs are counted by sorting; 2, 5 or 1,000 different values give many ties in
// x, in y and in both.
TEST(Ranking, KendallOfManyIsThatOfAllPairs) {
  Stream stream(1, "kendall");
  for (const std::size_t n : {31U, 32U, 33U, 64U, 257U, 500U}) {
    for (const std::uint64_t values : {2U, 5U, 1000U}) {
      std::vector<double> x, y;
      for (std::size_t i = 0; i < n; ++i) {
        x.push_back(static_cast<double>(stream.below(values)));
        y.push_back(stream.below(2) == 0 ? x.back() : static_cast<double>(stream.below(values)));
      }
      EXPECT_NEAR(kendall_tau(x, y).tau, tau_by_pairs(x, y), 1e-12) << n << " of " << values;
    }
  }
}

TEST(Ranking, KendallBeyondSevenIsNormal) {
  // n = 10, no ties, S = 45 - 2 * 5 = 35: z = 35 / sqrt(10 * 9 * 25 / 18) = 3.1305, p = 0.001745
  // (tables of the normal distribution).
  const std::vector<double> x{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const std::vector<double> y{2, 1, 4, 3, 6, 5, 8, 7, 10, 9};  // five discordant neighbours
  const Kendall seen = kendall_tau(x, y);
  EXPECT_NEAR(seen.tau, 35.0 / 45, 1e-15);
  EXPECT_NEAR(seen.p, 0.001745, 5e-6);
}

TEST(Ranking, PageByHand) {
  // One block of four in order: one of 24 orders is as extreme.
  const Trend one = page_trend(matrix({{1, 2, 3, 4}}));
  EXPECT_NEAR(one.rising, 1.0 / 24, 1e-15);
  EXPECT_NEAR(one.falling, 1.0, 1e-12);
  EXPECT_DOUBLE_EQ(one.mean_rho, 1);
  // Three blocks of three, all falling: (1 / 6)^3.
  const Trend three = page_trend(matrix({{3, 2, 1}, {9, 5, 2}, {0.3, 0.2, 0.1}}));
  EXPECT_NEAR(three.falling, 1.0 / 216, 1e-15);
  EXPECT_DOUBLE_EQ(three.mean_rho, -1);
  // A block of equal values says nothing.
  const Trend equal = page_trend(matrix({{1, 1, 1}}));
  EXPECT_DOUBLE_EQ(equal.rising, 1);
  EXPECT_DOUBLE_EQ(equal.falling, 1);
  EXPECT_TRUE(std::isnan(page_trend(matrix({{1}})).rising));
}

TEST(Ranking, PageMeetsItsTable) {
  // Page (1963), k = 4, n = 2: L >= 58 has p <= 0.05 and L >= 57 has not. Blocks with L = 30 + 28:
  // (1 2 3 4) gives 30, (2 1 4 3) gives 2 + 2 + 12 + 12 = 28; with (2 3 1 4) = 2+6+3+16 = 27 it
  // is 57.
  EXPECT_LE(page_trend(matrix({{1, 2, 3, 4}, {2, 1, 4, 3}})).rising, 0.05);
  EXPECT_GT(page_trend(matrix({{1, 2, 3, 4}, {2, 3, 1, 4}})).rising, 0.05);
}

TEST(Ranking, PageBeyondSevenIsNormal) {
  // k = 8, one block in order: L = 204, mean 8 * 81 / 4 = 162, variance 64 * 9 * 63 / 144 = 252,
  // z = 2.6458, p = 0.004075 (tables of the normal distribution).
  EXPECT_NEAR(page_trend(matrix({{1, 2, 3, 4, 5, 6, 7, 8}})).rising, 0.004075, 5e-6);
}

}  // namespace
}  // namespace vestige::metrics
