// Linear quantile regression: the pinball loss, smoothed just enough for Newton's method.
#pragma once

#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

struct QuantileRegressionOptions {
  double probability = 0.5;  ///< which quantile of the target, in (0, 1)
  double c = 1;              ///< inverse strength of the L2 penalty on standardised features
  double smoothing = 0.05;   ///< width of the smoothed kink, in standard deviations of the target
  int max_iterations = 200;  ///< Newton steps
};

struct QuantileModel {
  std::vector<double> weights;  ///< per feature, in the features' own units
  double intercept = kUndefined;
  bool converged = false;

  double predict(std::span<const double> features) const;
};

/// Minimises  w'w / 2 + c * sum_i l(y_i - w'x_i - b)  over standardised features and target, with
/// l(r) = p r + h ln(1 + exp(-r / h)), the pinball loss convolved with a logistic kernel
/// (Fernandes, Guerre and Horta 2021); the intercept is not penalised. A constant target is
/// predicted as such; fewer than two rows: NaN.
QuantileModel fit_quantile(MatrixView features, std::span<const double> targets,
                           const QuantileRegressionOptions& options = {});

}  // namespace vestige::metrics
