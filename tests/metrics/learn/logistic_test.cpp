// Logistic regression against plain gradient descent, optimality conditions and published fits.
#include "vestige/metrics/learn/logistic.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/metrics/learn/logistic_oracle.h"
#include "tests/metrics/support/attack_case.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

struct Data {
  Matrix features;
  std::vector<int> labels;
};

Data random_data(std::uint64_t index, std::size_t rows, std::size_t cols, double signal) {
  Stream stream(5, "test.logistic", index);
  Data data{Matrix(rows, cols), std::vector<int>(rows)};
  for (std::size_t i = 0; i < rows; ++i) {
    data.labels[i] = i < 2 ? static_cast<int>(i) : static_cast<int>(stream.below(2));
    for (double& value : data.features.row(i)) value = stream.normal() + signal * data.labels[i];
  }
  return data;
}

/// Largest component of the gradient, each scaled by the sum of its absolute terms: 0 at the
/// optimum.
double relative_gradient(const Data& data, const LogisticModel& model, double c) {
  double worst = 0;
  for (std::size_t j = 0; j <= data.features.cols(); ++j) {
    const bool intercept = j == data.features.cols();
    double sum = intercept ? 0 : model.weights[j];
    double size = std::abs(sum);
    for (std::size_t i = 0; i < data.features.rows(); ++i) {
      // sigmoid(-margin), not p - 1, which cancels when p is close to 1.
      const double sign = data.labels[i] == 1 ? 1 : -1;
      const double error = -c * sign / (1 + std::exp(sign * model.decision(data.features.row(i))));
      const double term = error * (intercept ? 1 : data.features(i, j));
      sum += term;
      size += std::abs(term);
    }
    worst = std::max(worst, std::abs(sum) / size);
  }
  return worst;
}

TEST(Logistic, AgreesWithGradientDescent) {
  const Data data = random_data(0, 60, 3, 0.7);
  for (const double c : {0.1, 1.0, 10.0}) {
    const LogisticModel newton = fit_logistic(data.features, data.labels, {.c = c});
    const LogisticModel oracle = oracle::gradient_descent(data.features, data.labels, c, 20000);
    EXPECT_TRUE(newton.converged);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(newton.weights[j], oracle.weights[j], 1e-9);
    EXPECT_NEAR(newton.intercept, oracle.intercept, 1e-9);
  }
}

TEST(Logistic, EntropyAttackOfThePublishedCode) {
  // mia_classifiers: the multinomial fit has half the coefficients of the binary one with C = 2.
  for (const char* name : {"n80", "separable", "constant"}) {
    const AttackCase test_case("mia_classifiers", name);
    std::vector<double> entropies;
    std::vector<int> labels;
    for (const char* split : {"p_retain", "p_test"}) {
      const std::vector<double> p = test_case.input(split);
      const std::size_t cols = test_case.columns(split);
      for (std::size_t i = 0; i < p.size(); i += cols) {
        double entropy = 0;
        for (std::size_t j = i; j < i + cols; ++j) entropy -= p[j] > 0 ? p[j] * std::log(p[j]) : 0;
        entropies.push_back(entropy);
        labels.push_back(split == std::string("p_retain") ? 1 : 0);
      }
    }
    const LogisticModel model =
        fit_logistic({entropies.data(), entropies.size(), 1}, labels, {.c = 2, .balanced = true});
    test_case.check("lr_coef_multinomial", {model.weights[0] / 2});
    test_case.check("lr_intercept_multinomial", {model.intercept / 2});
  }
}

TEST(Logistic, SeparableDataConverge) {
  Data data{Matrix(20, 1), std::vector<int>(20)};
  for (std::size_t i = 0; i < 20; ++i) {
    data.features(i, 0) = i < 10 ? -1 - static_cast<double>(i) : 100 + static_cast<double>(i);
    data.labels[i] = i < 10 ? 0 : 1;
  }
  for (const double c : {1.0, 1e6}) {
    const LogisticModel model = fit_logistic(data.features, data.labels, {.c = c});
    EXPECT_TRUE(model.converged);
    EXPECT_LT(relative_gradient(data, model, c), 1e-10);
    for (std::size_t i = 0; i < 20; ++i) {
      EXPECT_EQ(model.predict(data.features.row(i)), data.labels[i]);
    }
  }
}

TEST(Logistic, BadlyScaledDataConverge) {
  Data data = random_data(1, 200, 4, 0.3);
  const double scales[] = {1e-6, 1.0, 1e4, 1e8};
  for (std::size_t i = 0; i < 200; ++i) {
    for (std::size_t j = 0; j < 4; ++j) data.features(i, j) *= scales[j];
  }
  const LogisticModel model = fit_logistic(data.features, data.labels);
  EXPECT_TRUE(model.converged);
  EXPECT_LT(relative_gradient(data, model, 1), 1e-10);
}

TEST(Logistic, ManyFeaturesUseConjugateGradients) {
  // More than 200 features take the matrix-free solver; padding with zero columns does not change
  // the optimum, so the direct solver on the first columns is the oracle.
  const Data small = random_data(2, 120, 5, 0.5);
  Data padded{Matrix(120, 260), small.labels};
  for (std::size_t i = 0; i < 120; ++i) {
    for (std::size_t j = 0; j < 5; ++j) padded.features(i, 50 * j) = small.features(i, j);
  }
  const LogisticModel direct = fit_logistic(small.features, small.labels);
  const LogisticModel iterative = fit_logistic(padded.features, padded.labels);
  EXPECT_TRUE(iterative.converged);
  for (std::size_t j = 0; j < 5; ++j) {
    EXPECT_NEAR(iterative.weights[50 * j], direct.weights[j], 1e-9);
  }
  EXPECT_NEAR(iterative.intercept, direct.intercept, 1e-9);
}

TEST(Logistic, FewerRowsThanFeaturesConverge) {
  const Data wide = random_data(3, 12, 40, 1);
  const LogisticModel model = fit_logistic(wide.features, wide.labels);
  EXPECT_TRUE(model.converged);
  EXPECT_LT(relative_gradient(wide, model, 1), 1e-10);
}

TEST(Logistic, ConstantFeaturesGiveThePrior) {
  Data data{Matrix(12, 2), std::vector<int>(12, 0)};
  for (std::size_t i = 0; i < 12; ++i) {
    for (double& value : data.features.row(i)) value = 3;
    data.labels[i] = i < 3 ? 1 : 0;
  }
  const LogisticModel model = fit_logistic(data.features, data.labels);
  // The intercept costs nothing, so it carries the log-odds 3 : 9 and the weights stay 0.
  EXPECT_NEAR(model.weights[0], 0, 1e-12);
  EXPECT_NEAR(model.intercept, std::log(3.0 / 9), 1e-12);
}

// 60,000 equal rows used to be 200 Newton steps in rounding noise, 11 s, without convergence.
TEST(Logistic, ManyConstantRowsTakeNoSteps) {
  Data data{Matrix(60000, 1), std::vector<int>(60000)};
  for (std::size_t i = 0; i < 60000; ++i) {
    data.features(i, 0) = 4.6;
    data.labels[i] = i < 50000 ? 1 : 0;
  }
  const LogisticModel model = fit_logistic(data.features, data.labels, {.c = 2, .balanced = true});
  EXPECT_TRUE(model.converged);
  EXPECT_EQ(model.iterations, 0);
  EXPECT_EQ(model.weights[0], 0);
  EXPECT_EQ(model.intercept, 0);  // balanced classes have odds 1
}

TEST(Logistic, BalancedWeightsEqualRepeatedRows) {
  // Weighing the rarer class up equals repeating its rows, up to a common factor in C: with 3 rows
  // of class 1 and 9 of class 0, weights 2 and 2/3 are 3 : 1, i.e. class 1 repeated 3 times at C *
  // 2/3.
  Data data = random_data(4, 12, 2, 1);
  Data repeated{Matrix(18, 2), {}};
  std::size_t at = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    data.labels[i] = i % 4 == 0 ? 1 : 0;
    for (int copy = 0; copy < (data.labels[i] == 1 ? 3 : 1); ++copy, ++at) {
      for (std::size_t j = 0; j < 2; ++j) repeated.features(at, j) = data.features(i, j);
      repeated.labels.push_back(data.labels[i]);
    }
  }
  const LogisticModel balanced =
      fit_logistic(data.features, data.labels, {.c = 1.5, .balanced = true});
  const LogisticModel oracle = fit_logistic(repeated.features, repeated.labels, {.c = 1});
  EXPECT_NEAR(balanced.weights[0], oracle.weights[0], 1e-10);
  EXPECT_NEAR(balanced.intercept, oracle.intercept, 1e-10);
}

TEST(Logistic, OneClassIsUndefined) {
  const Data data = random_data(5, 10, 2, 0);
  const LogisticModel model = fit_logistic(data.features, std::vector<int>(10, 1));
  EXPECT_TRUE(std::isnan(model.weights[0]));
  EXPECT_TRUE(std::isnan(model.intercept));
  EXPECT_FALSE(model.converged);
  EXPECT_TRUE(std::isnan(fit_logistic({nullptr, 0, 0}, {}).intercept));
}

TEST(Logistic, BadInput) {
  Data data = random_data(6, 10, 2, 0);
  EXPECT_THROW(fit_logistic(data.features, std::vector<int>(9, 0)), InputError);
  EXPECT_THROW(fit_logistic(data.features, std::vector<int>(10, 2)), InputError);
  EXPECT_THROW(fit_logistic(data.features, data.labels, {.c = 0}), InputError);
  data.features(3, 1) = std::nan("");
  EXPECT_THROW(fit_logistic(data.features, data.labels), InputError);
}

}  // namespace
}  // namespace vestige::metrics
