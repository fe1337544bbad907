// Fits that begin at a neighbour's optimum, against Newton's method from nothing.
#include "vestige/metrics/learn/logistic_near.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

struct NearData {
  Matrix features;
  std::vector<int> labels;

  LabelledRows rows(std::size_t first, std::size_t last) const {
    LabelledRows result{features.cols(), {}, {}};
    for (std::size_t i = first; i < last; ++i) {
      result.rows.push_back(features.row(i).data());
      result.labels.push_back(labels[i]);
    }
    return result;
  }
};

NearData near_data(std::uint64_t index, std::size_t rows, std::size_t cols, double signal) {
  Stream stream(6, "test.logistic_near", index);
  NearData data{Matrix(rows, cols), std::vector<int>(rows)};
  for (std::size_t i = 0; i < rows; ++i) {
    data.labels[i] = static_cast<int>(i % 2);
    for (double& value : data.features.row(i)) value = stream.normal() + signal * data.labels[i];
  }
  return data;
}

void expect_same(const LogisticModel& model, const LogisticModel& oracle, double tolerance) {
  ASSERT_EQ(model.weights.size(), oracle.weights.size());
  EXPECT_TRUE(model.converged);
  for (std::size_t j = 0; j < model.weights.size(); ++j) {
    EXPECT_NEAR(model.weights[j], oracle.weights[j], tolerance);
  }
  EXPECT_NEAR(model.intercept, oracle.intercept, tolerance);
}

TEST(LogisticObjective, IsThePlainSum) {
  // 37 rows and 7 columns fill no block and no vector.
  const NearData data = near_data(0, 37, 7, 0.5);
  const LabelledRows rows = data.rows(0, 37);
  const std::vector<double> weights{0.3, -1, 2, 0.1, -0.4, 0, 1.5, 0.7};
  std::vector<double> signs, gradient(8), expected(8);
  double objective = 0;
  for (std::size_t j = 0; j < 7; ++j) {
    objective += weights[j] * weights[j] / 2;
    expected[j] = weights[j];
  }
  for (std::size_t i = 0; i < 37; ++i) {
    signs.push_back(data.labels[i] == 1 ? 1 : -1);
    double predictor = weights[7];
    for (std::size_t j = 0; j < 7; ++j) predictor += weights[j] * data.features(i, j);
    objective += std::log(1 + std::exp(-signs[i] * predictor));
    const double slope = -signs[i] / (1 + std::exp(signs[i] * predictor));
    for (std::size_t j = 0; j < 7; ++j) expected[j] += slope * data.features(i, j);
    expected[7] += slope;
  }
  EXPECT_NEAR(logistic_objective(rows.rows, signs, weights, gradient), objective, 1e-12);
  for (std::size_t j = 0; j < 8; ++j) EXPECT_NEAR(gradient[j], expected[j], 1e-12);
  std::vector<double> baseline(8);
  EXPECT_EQ(logistic_objective(rows.rows, signs, weights, baseline, Instructions::baseline),
            logistic_objective(rows.rows, signs, weights, gradient));
  EXPECT_EQ(baseline, gradient);
}

TEST(LogisticNear, AgreesWithNewton) {
  const NearData data = near_data(1, 900, 6, 0.4);
  const LogisticStart start = logistic_start(data.rows(0, 500));
  ASSERT_EQ(start.weights.size(), 7u);
  const LogisticModel near = fit_logistic_near(data.rows(300, 900), start);
  expect_same(near, fit_logistic(data.rows(300, 900).gathered(), data.rows(300, 900).labels),
              1e-11);
  EXPECT_LT(near.iterations, 30);
}

TEST(LogisticNear, AStartFromManyRowsIsTheirOptimum) {
  // More than 4 * 40 rows per weight: the start is found by way of a thinned sample.
  const NearData data = near_data(2, 1200, 2, 0.4);
  const LogisticStart start = logistic_start(data.rows(0, 1200));
  const LogisticModel newton = fit_logistic(data.features, data.labels);
  ASSERT_EQ(start.weights.size(), 3u);
  EXPECT_NEAR(start.weights[0], newton.weights[0], 1e-11);
  EXPECT_NEAR(start.weights[1], newton.weights[1], 1e-11);
  EXPECT_NEAR(start.weights[2], newton.intercept, 1e-11);
  // From there on there is nothing to do.
  EXPECT_LE(fit_logistic_near(data.rows(0, 1200), start).iterations, 1);
}

TEST(LogisticNear, AgreesWithNewtonOnManyFeatures) {
  // More than 200 features: the first fit is not Newton's, and the metric is that of no weights.
  const NearData data = near_data(8, 1500, 230, 0.05);
  const LogisticStart start = logistic_start(data.rows(0, 1000));
  ASSERT_EQ(start.weights.size(), 231u);
  const LabelledRows first = data.rows(0, 1000), later = data.rows(500, 1500);
  const LogisticModel newton = fit_logistic(first.gathered(), first.labels);
  for (std::size_t j = 0; j < 230; ++j) EXPECT_NEAR(start.weights[j], newton.weights[j], 1e-10);
  const LogisticModel near = fit_logistic_near(later, start);
  expect_same(near, fit_logistic(later.gathered(), later.labels), 1e-10);
  EXPECT_LT(near.iterations, 60);
}

TEST(LogisticNear, AStartFromOtherDataCostsStepsOnly) {
  NearData far = near_data(3, 400, 3, -3);
  const NearData data = near_data(4, 400, 3, 0.5);
  for (double& value : far.features.values()) value *= 5;
  expect_same(fit_logistic_near(data.rows(0, 400), logistic_start(far.rows(0, 400))),
              fit_logistic(data.features, data.labels), 1e-10);
}

TEST(LogisticNear, WithoutAStartNewtonDoesIt) {
  const NearData data = near_data(5, 60, 3, 0.5);
  expect_same(fit_logistic_near(data.rows(0, 60), {}), fit_logistic(data.features, data.labels), 0);
  const NearData wide = near_data(6, 30, kLargestNear + 1, 0.5);
  EXPECT_TRUE(logistic_start(wide.rows(0, 30)).weights.empty());
  LabelledRows one_class = data.rows(0, 60);
  std::fill(one_class.labels.begin(), one_class.labels.end(), 1);
  EXPECT_TRUE(logistic_start(one_class).weights.empty());
}

TEST(LogisticNear, RefusesWhatNewtonRefuses) {
  NearData data = near_data(7, 100, 2, 0.5);
  const LogisticStart start = logistic_start(data.rows(0, 50));
  data.features(70, 1) = std::nan("");
  EXPECT_THROW(fit_logistic_near(data.rows(50, 100), start), InputError);
}

}  // namespace
}  // namespace vestige::metrics
