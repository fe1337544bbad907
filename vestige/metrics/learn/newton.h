// Newton's method for penalised linear models: logistic regression and quantile regression differ
// only in the loss of one row.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "vestige/base/matrix.h"

namespace vestige::metrics {

/// Loss of one row as a function of its linear predictor, with its first two derivatives.
struct RowLoss {
  double value = 0;
  double slope = 0;
  double curvature = 0;  ///< not negative
};

using RowLossFunction = std::function<RowLoss(std::size_t row, double predictor)>;

struct LinearFit {
  std::vector<double> weights;
  double intercept = 0;
  int iterations = 0;
  bool converged = false;
};

/// Minimises  w'w / 2 + sum_i loss(i, w'x_i + b)  over w and b by Newton steps with halving, until
/// the Newton decrement vanishes in double precision. The loss is convex and smooth.
LinearFit minimise_linear(MatrixView features, const RowLossFunction& loss, double start_intercept,
                          int max_iterations);
/// The same from a start with weights.
LinearFit minimise_linear(MatrixView features, const RowLossFunction& loss, const LinearFit& start,
                          int max_iterations);

}  // namespace vestige::metrics
