// Variance components against a textbook design, hand calculations and simulations.
#include "vestige/metrics/stats/variance_components.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

using Groups = std::vector<std::vector<std::size_t>>;

TEST(VarianceComponents, TurnipGreens) {
  // Calcium in turnip greens, 4 plants, 3 leaves each, 2 determinations each (Snedecor and Cochran,
  // Statistical Methods, 6th edition, table 10.16.1). The book: mean squares 2.5201, 0.3288,
  // 0.0067; components 0.3652, 0.1610, 0.0067.
  const std::vector<double> values{3.28, 3.09, 3.52, 3.48, 2.88, 2.80, 2.46, 2.44,
                                   1.87, 1.92, 2.19, 2.19, 2.77, 2.66, 3.74, 3.44,
                                   2.55, 2.55, 3.78, 3.87, 4.07, 4.12, 3.31, 3.31};
  Groups groups(2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    groups[0].push_back(i / 6);
    groups[1].push_back(i % 6 / 2);  // named within the plant
  }
  const VarianceComponents seen = variance_components(values, groups);
  ASSERT_EQ(seen.levels.size(), 3u);
  EXPECT_EQ(seen.levels[0].degrees_of_freedom, 3u);
  EXPECT_EQ(seen.levels[1].degrees_of_freedom, 8u);
  EXPECT_EQ(seen.levels[2].degrees_of_freedom, 12u);
  EXPECT_NEAR(seen.levels[0].mean_square, 2.5201, 5e-5);
  EXPECT_NEAR(seen.levels[1].mean_square, 0.3288, 5e-5);
  EXPECT_NEAR(seen.levels[2].mean_square, 0.0067, 5e-5);
  EXPECT_NEAR(seen.levels[0].component, 0.3652, 1e-4);
  EXPECT_NEAR(seen.levels[1].component, 0.1610, 1e-4);
  EXPECT_NEAR(seen.levels[2].component, 0.0067, 5e-5);
  EXPECT_NEAR(seen.levels[0].share + seen.levels[1].share + seen.levels[2].share, 1, 1e-12);
}

TEST(VarianceComponents, UnbalancedOneWayByHand) {
  // Groups {1, 3}, {2, 2, 5}, {8}: means 2, 3, 8, grand mean 3.5. Within: 2 + 6 = 8 on 3 df.
  // Between: 2 (1.5)^2 + 3 (0.5)^2 + (4.5)^2 = 25.5 on 2 df. n0 = (6 - 14 / 6) / 2 = 11 / 6.
  // Component between: (25.5 / 2 - 8 / 3) / (11 / 6).
  const std::vector<double> values{1, 3, 2, 2, 5, 8};
  const VarianceComponents seen = variance_components(values, {{0, 0, 1, 1, 1, 2}});
  EXPECT_NEAR(seen.levels[1].component, 8.0 / 3, 1e-12);
  EXPECT_NEAR(seen.levels[0].component, (12.75 - 8.0 / 3) / (11.0 / 6), 1e-12);
}

TEST(VarianceComponents, NegativeEstimatesAreSetToZeroAndSaid) {
  // Groups {0, 2} and {0, 2}: equal means, so between is (0 - 2) / 2 = -1.
  const VarianceComponents seen =
      variance_components(std::vector<double>{0, 2, 0, 2}, {{0, 0, 1, 1}});
  EXPECT_DOUBLE_EQ(seen.levels[0].component, 0);
  EXPECT_DOUBLE_EQ(seen.levels[0].raw, -1);
  EXPECT_DOUBLE_EQ(seen.levels[1].component, 2);
  EXPECT_DOUBLE_EQ(seen.levels[1].share, 1);
}

TEST(VarianceComponents, LevelsWithOneMemberAreNotEstimable) {
  // One split; three trainings; one run each; two attacks each.
  const std::vector<double> values{1, 2, 4, 5, 9, 9};
  const Groups groups{{0, 0, 0, 0, 0, 0}, {0, 0, 1, 1, 2, 2}, {0, 0, 0, 0, 0, 0}};
  const VarianceComponents seen = variance_components(values, groups);
  EXPECT_FALSE(seen.levels[0].estimable);  // in the mean
  EXPECT_TRUE(std::isnan(seen.levels[0].component));
  EXPECT_TRUE(seen.levels[1].estimable);
  EXPECT_EQ(seen.levels[1].includes, std::vector<std::size_t>{2});
  EXPECT_FALSE(seen.levels[2].estimable);
  EXPECT_TRUE(seen.levels[3].estimable);
  const VarianceComponents one = variance_components(std::vector<double>{3}, {{0}});
  EXPECT_TRUE(std::isnan(one.total));
}

TEST(VarianceComponents, UndefinedValuesAndWrongSizes) {
  const VarianceComponents seen =
      variance_components(std::vector<double>{1, std::nan(""), 3}, {{0, 0, 1}});
  EXPECT_TRUE(std::isnan(seen.levels[0].component));
  EXPECT_THROW(variance_components(std::vector<double>{1, 2}, {{0}}), InputError);
  EXPECT_EQ(variance_components({}, {{}}).n, 0u);
}

/// Draws an unbalanced design of four levels with the given standard deviations.
VarianceComponents simulate(const std::vector<double>& sds, std::uint64_t seed) {
  Stream stream(seed, "variance test");
  std::vector<double> values;
  Groups groups(3);
  for (std::size_t split = 0; split < 6; ++split) {
    const double a = sds[0] * stream.normal();
    for (std::size_t training = 0; training < 2 + split % 3; ++training) {
      const double b = sds[1] * stream.normal();
      for (std::size_t run = 0; run < 1 + training % 3; ++run) {
        const double c = sds[2] * stream.normal();
        for (std::size_t attack = 0; attack < 2 + run; ++attack) {
          values.push_back(1 + a + b + c + sds[3] * stream.normal());
          groups[0].push_back(split);
          groups[1].push_back(training);
          groups[2].push_back(run);
        }
      }
    }
  }
  return variance_components(values, groups);
}

TEST(VarianceComponents, UnbiasedOverManyDraws) {
  // Property: the raw estimates of Henderson's method I are unbiased for any design. 2,000 draws;
  // each mean must lie within four standard errors of the truth.
  const std::vector<double> sds{1.0, 0.5, 0.8, 0.3};
  constexpr int kDraws = 2000;
  std::vector<double> sums(4), squares(4);
  for (int draw = 0; draw < kDraws; ++draw) {
    const VarianceComponents seen = simulate(sds, static_cast<std::uint64_t>(draw));
    for (std::size_t level = 0; level < 4; ++level) {
      sums[level] += seen.levels[level].raw;
      squares[level] += seen.levels[level].raw * seen.levels[level].raw;
    }
  }
  for (std::size_t level = 0; level < 4; ++level) {
    const double mean = sums[level] / kDraws;
    const double error = std::sqrt((squares[level] / kDraws - mean * mean) / kDraws);
    EXPECT_NEAR(mean, sds[level] * sds[level], 4 * error) << "level " << level;
    EXPECT_LT(error, 0.1 * sds[level] * sds[level] + 0.02) << "the test must be able to fail";
  }
}

}  // namespace
}  // namespace vestige::metrics
