// LiRA by hand; the public reference values are conformance cases (tests/audit).
#include "vestige/metrics/scores/lira.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

ShadowMoments out_of(std::initializer_list<double> models) {
  Matrix values(models.size(), 1);
  std::copy(models.begin(), models.end(), values.values().begin());
  return shadow_moments(values);
}

TEST(Lira, DensityAndDistributionByHand) {
  // Shadows 1 and 3: mean 2, deviation 1 (ddof 0). x = 3: z = 1, Phi(1) = 0.841344746....
  const ShadowMoments out = out_of({1, 3});
  const std::vector<double> x = {3}, original = {2};
  EXPECT_NEAR(lira_offline(x, out)[0], 0.8413447460685429, 1e-14);
  EXPECT_NEAR(lira_density(x, out)[0], 0.5 + std::log(2 * std::numbers::pi) / 2, 1e-14);
  EXPECT_NEAR(update_attack(x, original, out)[0], 0.3413447460685429, 1e-14);
}

TEST(Lira, PublishedOnlineFormRanksByDistanceToTheOriginal) {
  Matrix shadows(2, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    shadows(0, i) = -1;
    shadows(1, i) = 1;
  }
  const std::vector<double> x = {5, 4.5, 1}, in = {5, 5, 5};
  const auto scores = lira_online(x, in, shadow_moments(shadows));
  EXPECT_GT(scores[0], scores[1]);
  EXPECT_GT(scores[1], scores[2]);
}

TEST(Lira, PoolUsesMediansOfItsSides) {
  // One row, models IN: 4, 5, 9 (median 5), OUT: 0, 1, 8 (median 1); x = 3.
  const std::vector<double> scores = {4, 0, 5, 1, 9, 8};
  const std::vector<std::uint8_t> keep = {1, 0, 1, 0, 1, 0};
  const std::vector<double> x = {3};
  const LiraPoolScores result = lira_pool({scores, keep, 1, 1}, x, false);
  const double in_deviation = std::sqrt((4.0 + 1 + 9) / 3);    // around mean 6
  const double out_deviation = std::sqrt((9.0 + 4 + 25) / 3);  // around mean 3
  const double in = -0.5 * 4 / std::pow(in_deviation, 2) - std::log(in_deviation);
  const double out = -0.5 * 4 / std::pow(out_deviation, 2) - std::log(out_deviation);
  EXPECT_NEAR(result.online[0], in - out, 1e-12);
  EXPECT_NEAR(result.offline[0], -out + std::log(2 * std::numbers::pi) / 2, 1e-12);
}

TEST(Lira, SideWithoutModelsIsUndefined) {
  const std::vector<double> scores = {1, 2};
  const std::vector<double> x = {3};
  const std::vector<std::uint8_t> all_out = {0, 0}, all_in = {1, 1};
  EXPECT_TRUE(std::isnan(lira_pool({scores, all_out, 1, 1}, x, true).online[0]));
  EXPECT_FALSE(std::isnan(lira_pool({scores, all_out, 1, 1}, x, true).offline[0]));
  EXPECT_TRUE(std::isnan(lira_pool({scores, all_in, 1, 1}, x, true).offline[0]));
}

TEST(Lira, BadInputIsNamed) {
  const ShadowMoments out = out_of({1, 3});
  const std::vector<double> two = {1, 2};
  EXPECT_THROW(lira_offline(two, out), InputError);
  const std::vector<std::uint8_t> keep = {1, 0, 1};
  EXPECT_THROW(lira_pool({two, keep, 1, 1}, two, false), InputError);
}

}  // namespace
}  // namespace vestige::metrics
