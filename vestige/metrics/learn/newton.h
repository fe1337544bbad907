// Newton's method for penalised linear models: logistic regression and quantile regression differ
// only in the loss of a row.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"

namespace vestige::metrics {

/// The losses of all rows as functions of their linear predictors: writes the first two derivatives
/// of each (the second is not negative) and returns the sum of the losses. All rows at once,
/// because exponentials are taken several at a time.
using LossFunction = std::function<double(std::span<const double> predictors,
                                          std::span<double> slopes, std::span<double> curvatures)>;

struct LinearFit {
  std::vector<double> weights;
  double intercept = 0;
  int iterations = 0;
  bool converged = false;
};

/// Minimises  w'w / 2 + sum_i loss(i, w'x_i + b)  over w and b by Newton steps with halving, until
/// the Newton decrement vanishes in double precision. The loss is convex and smooth.
LinearFit minimise_linear(MatrixView features, const LossFunction& loss, double start_intercept,
                          int max_iterations);
/// The same from a start with weights.
LinearFit minimise_linear(MatrixView features, const LossFunction& loss, const LinearFit& start,
                          int max_iterations);

}  // namespace vestige::metrics
