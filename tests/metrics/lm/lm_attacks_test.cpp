// LiRA, RMIA and IAM on language models: hand calculations and a plain twin of IAM.
#include "vestige/metrics/lm/lm_attacks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support.h"
#include "vestige/base/context.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

const double kLn2 = std::log(2.0);
const double kLn3 = std::log(3.0);

Matrix matrix_of(std::vector<std::vector<double>> rows) {
  Matrix result(rows.size(), rows[0].size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::copy(rows[row].begin(), rows[row].end(), result.row(row).begin());
  }
  return result;
}

std::vector<double> losses_of(std::vector<double> confidences) {
  for (double& value : confidences) value = -std::log(value);
  return confidences;
}

TEST(lm_attacks, logits_of_confidences) {
  const std::vector<double> logits = lm_logits(losses_of({0.5, 0.25, 0.75}));
  EXPECT_NEAR(logits[0], 0, 1e-15);
  EXPECT_NEAR(logits[1], -kLn3, 1e-15);
  EXPECT_NEAR(logits[2], kLn3, 1e-15);
  // A loss of 0 stays finite: p = 1 - 1e-12; a large loss is its own logit.
  EXPECT_NEAR(lm_logits(std::vector<double>{0})[0], 12 * std::log(10.0), 1e-9);
  EXPECT_EQ(lm_logits(std::vector<double>{800})[0], -800);
}

TEST(lm_attacks, lira_by_hand) {
  // Logits: shadow 0 and -ln 3, so s = ln 3 / 2; original ln 3 and 0; target 0 and 0.
  const Matrix shadows = matrix_of({losses_of({0.5, 0.25})});
  const std::vector<double> in = losses_of({0.75, 0.5});
  const std::vector<double> target = losses_of({0.5, 0.5});
  const std::vector<double> online = lm_lira(target, shadows, in);
  // ((x - out)^2 - (x - in)^2) / (2 s^2) = -(ln 3)^2 / (2 (ln 3)^2 / 4) = -2, and +2.
  EXPECT_NEAR(online[0], -2, 1e-12);
  EXPECT_NEAR(online[1], 2, 1e-12);
  const std::vector<double> offline = lm_lira(target, shadows, {});
  EXPECT_NEAR(offline[0], 0.5, 1e-12);
  EXPECT_NEAR(offline[1], 0.9772498680518208, 1e-12);  // the normal distribution function at 2
  // Shadows that say the same of everything have no spread.
  EXPECT_TRUE(std::isnan(lm_lira(target, matrix_of({{kLn2, kLn2}}), in)[0]));
}

TEST(lm_attacks, rmia_by_hand) {
  const Matrix shadows = matrix_of({losses_of({0.4})});
  const Matrix population = matrix_of({losses_of({0.5, 0.3})});
  const std::vector<double> target = losses_of({0.8});
  const std::vector<double> in = losses_of({0.8});
  const std::vector<double> target_z = losses_of({0.5, 0.9});
  const std::vector<double> in_z = losses_of({0.5, 0.3});
  // Online: 0.8 / 0.6 = 4/3 against 0.5 / 0.5 = 1 (won) and 0.9 / 0.3 = 3 (lost).
  EXPECT_EQ(lm_rmia({target, shadows, in}, {target_z, population, in_z}, {.gamma = 1})[0], 0.5);
  // Offline, a = 0.3: 0.8 / 0.61 = 1.311 against 0.5 / 0.675 = 0.741 and 0.9 / 0.545 = 1.651.
  EXPECT_EQ(lm_rmia({target, shadows, {}}, {target_z, population, {}}, {.gamma = 1})[0], 0.5);
  // With the authors' gamma of 2, 1.77 times is not enough.
  EXPECT_EQ(lm_rmia({target, shadows, {}}, {target_z, population, {}}, {.gamma = 2})[0], 0);
  EXPECT_EQ(lm_rmia({target, shadows, {}}, {target_z, population, {}})[0], 0.5);
  EXPECT_EQ(lm_rmia({target, shadows, {}}, {target_z, population, {}}, {.gamma = 1.7})[0], 0.5);
}

TEST(lm_attacks, responses_are_flipped) {
  // p = 1/2: -ln(0.1 - ln(0.5 + 1e-5)) = 0.23177..., by Python's math.log.
  const std::vector<double> responses = lm_iam_responses(std::vector<double>{kLn2, 0.1, 6});
  EXPECT_NEAR(responses[0], 0.23177169093814104, 1e-15);
  // A better known sequence has the lower flipped response.
  EXPECT_LT(responses[1], responses[0]);
  EXPECT_GT(responses[2], responses[0]);
}

TEST(lm_attacks, two_levels_by_hand) {
  // One level is used; responses 0, 2 (shadow) and 4, 6 (original) have a deviation of 1.
  const std::vector<double> in = {4, 6};
  const std::vector<double> target = {0, 2};
  const ShadowMoments shadows = shadow_moments(matrix_of({{0, 2}}));
  // paper: the level of the shadow; at its mean the distribution function is exp(-exp(-0.5772)).
  const std::vector<double> paper =
      lm_iam(target, shadows, in, {.levels = 2, .direction = LmDirection::paper});
  EXPECT_NEAR(paper[0], 1 - 0.5703709850824901, 1e-12);
  EXPECT_NEAR(paper[1], 1 - 0.5703709850824901, 1e-12);
  // code: the level of the original, far above the target, which flipped means fully fitted.
  const std::vector<double> code = lm_iam(target, shadows, in, {.levels = 2});
  EXPECT_NEAR(code[0], 1, 1e-12);
  EXPECT_NEAR(lm_iam(in, shadows, in, {.levels = 2})[1], 1 - 0.5703709850824901, 1e-8);
}

/// The definition, level by level and model by model.
std::vector<double> plain_iam(const std::vector<double>& target, const Matrix& shadows,
                              const std::vector<double>& in, const LmIamOptions& options) {
  const bool paper = options.direction == LmDirection::paper;
  const std::size_t rows = target.size();
  std::vector<double> sums(rows, 0);
  double weights = 0;
  for (std::size_t k = 0; k + 1 < options.levels; ++k) {
    const double t = static_cast<double>(k) / static_cast<double>(options.levels - 1);
    const double shadow_share = paper ? 1 - t : t;
    std::vector<double> row_means(rows, 0);
    double all = 0, squares = 0;
    const double count = static_cast<double>(shadows.rows() * rows);
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t model = 0; model < shadows.rows(); ++model) {
        const double r = shadow_share * shadows(model, row) + (1 - shadow_share) * in[row];
        row_means[row] += r / static_cast<double>(shadows.rows());
        all += r / count;
      }
    }
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t model = 0; model < shadows.rows(); ++model) {
        const double r = shadow_share * shadows(model, row) + (1 - shadow_share) * in[row];
        squares += (r - all) * (r - all) / count;
      }
    }
    const double beta =
        (std::sqrt(squares) + (paper ? 0 : 1e-9)) * std::sqrt(6.0) / std::numbers::pi;
    for (std::size_t row = 0; row < rows; ++row) {
      const double alpha = row_means[row] - 0.5772 * beta;
      sums[row] += static_cast<double>(k + 1) * std::exp(-std::exp(-(target[row] - alpha) / beta));
    }
    weights += static_cast<double>(k + 1);
  }
  for (double& sum : sums) sum = 1 - sum / weights;
  return sums;
}

TEST(lm_attacks, iam_equals_its_plain_twin) {
  for (const std::size_t models : {1U, 3U}) {
    for (const LmDirection direction : {LmDirection::paper, LmDirection::code}) {
      Stream stream(1, "lm_iam", models);
      Matrix shadows(models, 50);
      for (double& value : shadows.values()) value = 1 + 0.3 * stream.normal();
      std::vector<double> in(50), target(50);
      for (double& value : in) value = 0.3 + 0.2 * stream.normal();
      for (double& value : target) value = 0.6 + 0.4 * stream.normal();
      const LmIamOptions options{.levels = 37, .direction = direction};
      const std::vector<double> scores = lm_iam(target, shadow_moments(shadows), in, options);
      const std::vector<double> plain = plain_iam(target, shadows, in, options);
      for (std::size_t row = 0; row < 50; ++row) {
        EXPECT_NEAR(scores[row], plain[row], 1e-12) << name(direction) << row;
      }
    }
  }
}

TEST(lm_attacks, iam_is_the_same_for_any_number_of_threads) {
  Matrix shadows(2, 5000);
  std::vector<double> in(5000), target(5000);
  Stream stream(1, "lm_threads");
  for (double& value : shadows.values()) value = stream.normal();
  for (double& value : in) value = stream.normal();
  for (double& value : target) value = stream.normal();
  const auto one =
      Context({.threads = 1}).run([&] { return lm_iam(target, shadow_moments(shadows), in); });
  const auto two =
      Context({.threads = 2}).run([&] { return lm_iam(target, shadow_moments(shadows), in); });
  EXPECT_EQ(one, two);
}

TEST(lm_attacks, equal_responses) {
  const ShadowMoments shadows = shadow_moments(matrix_of({{1, 1, 1, 1}}));
  const std::vector<double> in = {1, 1, 1, 1};
  const std::vector<double> target = {0.5, 1.5, 1, 1};
  // paper: no spread, no distribution. code: 1e-9 of spread makes steps.
  EXPECT_TRUE(std::isnan(lm_iam(target, shadows, in, {.direction = LmDirection::paper})[0]));
  const std::vector<double> code = lm_iam(target, shadows, in);
  EXPECT_EQ(code[0], 1);
  EXPECT_EQ(code[1], 0);
}

TEST(lm_attacks, mistakes) {
  const ShadowMoments shadows = shadow_moments(matrix_of({{1, 2}}));
  const std::vector<double> two = {1, 2};
  const std::vector<double> three = {1, 2, 3};
  EXPECT_TRUE(testing::holds(testing::error_of([&] { lm_iam(three, shadows, two); }),
                             {"3 target", "2 shadow"}));
  EXPECT_TRUE(testing::holds(testing::error_of([&] { lm_iam(two, shadows, two, {.levels = 1}); }),
                             {"1 levels"}));
  EXPECT_TRUE(testing::holds(testing::error_of([] { lm_direction("back"); }), {"paper or code"}));
  EXPECT_TRUE(testing::holds(
      testing::error_of([] { lm_iam_responses(std::vector<double>{1}, {.epsilon1 = 0}); }),
      {"epsilon1"}));
}

}  // namespace
}  // namespace vestige::metrics
