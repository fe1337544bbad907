// Table 4's attacks and the quantile regression behind one of them.
#include "vestige/metrics/miau/strong_attacks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/learn/quantile_regression.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

TEST(QuantileRegression, WithoutFeaturesItIsTheQuantile) {
  Stream stream(2, "test.quantile");
  std::vector<double> targets(2001);
  for (double& target : targets) target = -std::log(1 - stream.uniform());
  const Matrix none(targets.size(), 1);
  for (const double probability : {0.1, 0.5, 0.9}) {
    const QuantileModel model =
        fit_quantile(none, targets, {.probability = probability, .smoothing = 1e-3});
    EXPECT_TRUE(model.converged);
    // The smoothed loss moves the optimum by less than the spacing of 2,001 order statistics there.
    EXPECT_NEAR(model.intercept, quantile(targets, probability), 0.02) << probability;
  }
}

TEST(QuantileRegression, FindsALine) {
  // y = 3 + 2 x + noise of median 0: the median line has slope 2 and intercept 3.
  Stream stream(4, "test.quantile");
  Matrix x(4000, 1);
  std::vector<double> y(4000);
  for (std::size_t i = 0; i < y.size(); ++i) {
    x(i, 0) = 10 * stream.uniform();
    y[i] = 3 + 2 * x(i, 0) + stream.normal();
  }
  const QuantileModel model = fit_quantile(x, y);
  // Standard errors: sqrt(pi / 2) / (sqrt(n) sd(x)) = 0.007 and 0.04; four of them.
  EXPECT_NEAR(model.weights[0], 2, 0.03);
  EXPECT_NEAR(model.intercept, 3, 0.16);
  double below = 0;
  for (std::size_t i = 0; i < y.size(); ++i) below += y[i] < model.predict(x.row(i)) ? 1 : 0;
  EXPECT_NEAR(below / 4000, 0.5, 0.01);
}

TEST(QuantileRegression, ConstantTargetsAndBadInput) {
  const Matrix x(5, 2);
  const QuantileModel flat = fit_quantile(x, std::vector<double>(5, 7.0));
  EXPECT_DOUBLE_EQ(flat.intercept, 7);
  EXPECT_TRUE(std::isnan(fit_quantile(Matrix(1, 2), std::vector<double>{1}).intercept));
  EXPECT_THROW(fit_quantile(x, std::vector<double>(4, 1.0)), InputError);
  EXPECT_THROW(fit_quantile(x, std::vector<double>(5, 1.0), {.probability = 1}), InputError);
}

TEST(Lira, ByHandWithPooledSpread) {
  // Shadow means 1 and 3 on train, 2 on test; the pooled spread only scales, so the scores are in
  // the ratio of x - mean: 1 and 2 against 0.
  Matrix train_shadows(2, 2), test_shadows(2, 1);
  train_shadows(0, 0) = 0;
  train_shadows(1, 0) = 2;
  train_shadows(0, 1) = 2;
  train_shadows(1, 1) = 4;
  test_shadows(0, 0) = 1;
  test_shadows(1, 0) = 3;
  const StrongAttack attack =
      lira_attack(std::vector<double>{2, 5}, train_shadows, std::vector<double>{2}, test_shadows);
  EXPECT_DOUBLE_EQ(attack.train_scores[0], 1);  // every spread is 1
  EXPECT_DOUBLE_EQ(attack.train_scores[1], 2);
  EXPECT_DOUBLE_EQ(attack.test_scores[0], 0);
  EXPECT_DOUBLE_EQ(attack.auc, 1);
}

TEST(Lira, NeedsTwoShadowModels) {
  const Matrix one(1, 2);
  const std::vector<double> values{1, 2};
  EXPECT_TRUE(std::isnan(lira_attack(values, one, values, one).auc));
  EXPECT_THROW(lira_attack(values, one, values, Matrix(2, 2)), InputError);
}

TEST(ShadowAttack, TransfersFromShadowsToTheModel) {
  // Members sit at +1, others at -1, on the shadow model and on the model alike.
  Stream stream(6, "test.shadow");
  const auto rows = [&](double center) {
    Matrix result(200, 2);
    for (double& value : result.values()) value = center + stream.normal();
    return result;
  };
  std::vector<ShadowRows> shadows;
  shadows.push_back({rows(1), rows(-1)});
  shadows.push_back({rows(1), rows(-1)});
  // Difference of means 2 per feature along (1, 1): AUC = Phi(2 sqrt(2) / sqrt(2)) = Phi(2) =
  // 0.977.
  EXPECT_NEAR(shadow_attack(shadows, rows(1), rows(-1)).auc, 0.977, 0.02);
  EXPECT_NEAR(shadow_attack(shadows, rows(0), rows(0)).auc, 0.5, 0.12);
  EXPECT_THROW(shadow_attack(shadows, Matrix(3, 5), Matrix(3, 5)), InputError);
}

TEST(QuantileAttack, SeesConfidenceAboveWhatActivationsPredict) {
  // Confidence is 2 a + noise for rows that were not seen, and 3 higher for those that were: raw
  // confidence hardly separates them when a varies by 10, the excess does.
  Stream stream(8, "test.quantile_attack");
  const auto activations = [&] {
    Matrix result(300, 1);
    for (double& value : result.values()) value = 10 * stream.uniform();
    return result;
  };
  const auto confidences = [&](const Matrix& from, double extra) {
    std::vector<double> result;
    for (std::size_t i = 0; i < from.rows(); ++i) {
      result.push_back(2 * from(i, 0) + stream.normal() + extra);
    }
    return result;
  };
  const Matrix fitted = activations(), train = activations(), test = activations();
  const StrongAttack attack = quantile_attack(fitted, confidences(fitted, 0), train,
                                              confidences(train, 3), test, confidences(test, 0));
  EXPECT_NEAR(attack.auc, 0.983, 0.02);  // Phi(3 / sqrt(2))
  EXPECT_THROW(quantile_attack(fitted, std::vector<double>(300), Matrix(1, 2),
                               std::vector<double>(1), test, std::vector<double>(300)),
               InputError);
}

}  // namespace
}  // namespace vestige::metrics
