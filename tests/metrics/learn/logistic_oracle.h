// Plain logistic regression: gradient descent with a constant step, the twin of Newton's method.
#pragma once

#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/learn/logistic.h"

namespace vestige::metrics::oracle {

/// `steps` of size 1 / L on the objective of fit_logistic, L a bound of the largest eigenvalue of
/// its Hessian: 1 + c / 4 * sum |(x, 1)|^2.
inline LogisticModel gradient_descent(MatrixView features, std::span<const int> labels, double c,
                                      int steps) {
  LogisticModel model{.weights = std::vector<double>(features.cols, 0.0), .intercept = 0};
  double bound = 1;
  for (std::size_t i = 0; i < features.rows; ++i) {
    double norm = 1;
    for (const double value : features.row(i)) norm += value * value;
    bound += c / 4 * norm;
  }
  for (int step = 0; step < steps; ++step) {
    std::vector<double> gradient(model.weights);
    double intercept_gradient = 0;
    for (std::size_t i = 0; i < features.rows; ++i) {
      const double error = c * (model.probability(features.row(i)) - labels[i]);
      for (std::size_t j = 0; j < features.cols; ++j) gradient[j] += error * features(i, j);
      intercept_gradient += error;
    }
    for (std::size_t j = 0; j < features.cols; ++j) model.weights[j] -= gradient[j] / bound;
    model.intercept -= intercept_gradient / bound;
  }
  return model;
}

}  // namespace vestige::metrics::oracle
