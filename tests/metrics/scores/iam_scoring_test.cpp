// The scoring variants by hand.
#include "vestige/metrics/scores/iam_scoring.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/metrics/scores/iam_oracle.h"
#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

Matrix one_row_each(std::initializer_list<std::initializer_list<double>> models) {
  Matrix result(models.size(), models.begin()->size());
  std::size_t row = 0;
  for (const auto& model : models) {
    std::copy(model.begin(), model.end(), result.row(row++).begin());
  }
  return result;
}

TEST(IamScoring, EcdfCountsLevelsNotAbove) {
  // Levels of m = 3: t = 0 and 1/2, weights 1 and 2. Shadows 1/4, 3/4, IN 1: level 0 = {1/4, 3/4},
  // level 1 = {5/8, 7/8}. Target 3/4: shares 1 and 1/2, score (1 * 1 + 2 * 1/2) / 3 = 2/3.
  const Matrix shadows = one_row_each({{0.25}, {0.75}});
  const std::vector<double> target = {0.75}, in = {1};
  const auto scores = scoring_scores(Scoring::ecdf, target, shadows, in, {.levels = 3});
  EXPECT_DOUBLE_EQ(scores[0], 2.0 / 3);
}

TEST(IamScoring, BetaOfUniformMomentsIsTheIdentity) {
  // m = 2 keeps level 0 only. Responses with mean 1/2 and variance 1/12 are a uniform beta
  // (a = b = 1), whose distribution function is p itself. Two shadows at 1/2 +- sqrt(1/12).
  const double d = std::sqrt(1.0 / 12);
  const Matrix shadows = one_row_each({{0.5 - d}, {0.5 + d}});
  for (const double p : {0.1, 0.5, 0.83}) {
    const std::vector<double> target = {p}, in = {1};
    EXPECT_NEAR(scoring_scores(Scoring::bayes, target, shadows, in, {.levels = 2})[0], p, 1e-12);
  }
}

TEST(IamScoring, BetaWithTooMuchVarianceHasMassAtTheEnds) {
  // Row 0: mean 0.9 and joint variance far above 0.9 * 0.1: P(X <= p) -> mass at 0 = 0.1.
  const Matrix shadows = one_row_each({{0.9, 0.0, 1.0, 0.0}});
  const std::vector<double> target = {0.5, 0.5, 0.5, 0.5}, in = {1, 1, 1, 1};
  EXPECT_NEAR(scoring_scores(Scoring::bayes, target, shadows, in, {.levels = 2})[0], 0.1, 1e-6);
}

TEST(IamScoring, KdeOfOneShadowIsANormalOfSilvermansWidth) {
  // One shadow: kernel at 0.2 and 0.6 (two rows, joint deviation 0.2), h = (3/4)^(-1/5) * 0.2.
  const Matrix shadows = one_row_each({{0.2, 0.6}});
  const std::vector<double> target = {0.3, 0.6}, in = {1, 1};
  const auto scores = scoring_scores(Scoring::kde, target, shadows, in, {.levels = 2});
  const double h = std::pow(0.75, -0.2) * 0.2;
  EXPECT_NEAR(scores[0], 0.5 * std::erfc(-0.1 / h / std::sqrt(2.0)), 1e-14);
  EXPECT_NEAR(scores[1], 0.5, 1e-14);
}

TEST(IamScoring, GaussAndGumbelAreTheLevelsOfIam) {
  const Matrix shadows = one_row_each({{0.1, -0.4, 2}, {0.5, 0.3, 1}});
  const std::vector<double> target = {0.3, 0.9, 1.1}, in = {1, 2, 3};
  const auto gauss = scoring_scores(Scoring::gauss, target, shadows, in, {.levels = 9});
  const auto gumbel = scoring_scores(Scoring::gumbel, target, shadows, in, {.levels = 9});
  const auto plain =
      plain_iam(target, shadows, in, {.levels = 9, .distribution = LevelDistribution::normal});
  const auto plain_gumbel = plain_iam(target, shadows, in, {.levels = 9});
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(gauss[i], plain[i], 1e-14);
    EXPECT_NEAR(gumbel[i], plain_gumbel[i], 1e-14);
  }
  EXPECT_EQ(scoring_scores(Scoring::loss, target, shadows, in), target);
}

TEST(IamScoring, NoSpreadIsUndefinedWhereSpreadIsNeeded) {
  const Matrix shadows = one_row_each({{0.5, 0.5}});
  const std::vector<double> target = {0.3, 0.9}, in = {0.5, 0.5};
  for (const Scoring scoring : {Scoring::kde, Scoring::bayes, Scoring::gauss, Scoring::gumbel}) {
    EXPECT_TRUE(std::isnan(scoring_scores(scoring, target, shadows, in)[0])) << name(scoring);
  }
  EXPECT_EQ(scoring_scores(Scoring::ecdf, target, shadows, in)[0], 0);
  EXPECT_DOUBLE_EQ(scoring_scores(Scoring::ecdf, target, shadows, in)[1], 1);
}

TEST(IamScoring, NamesAreKnown) {
  for (const Scoring scoring : kScorings) EXPECT_EQ(scoring_of(name(scoring)), scoring);
  EXPECT_THROW(scoring_of("gamma"), InputError);
}

}  // namespace
}  // namespace vestige::metrics
