// Binary logistic regression with scikit-learn's default objective, solved to convergence.
#pragma once

#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

struct LogisticOptions {
  double c = 1;              ///< inverse strength of the L2 penalty
  bool balanced = false;     ///< weigh rows by n / (2 n_class), as class_weight="balanced"
  int max_iterations = 200;  ///< Newton steps; a dozen is usual
};

struct LogisticModel {
  std::vector<double> weights;  ///< one per feature; NaN where only one class was given
  double intercept = kUndefined;
  int iterations = 0;
  bool converged = false;

  /// Log-odds of class 1.
  double decision(std::span<const double> features) const;
  /// Probability of class 1.
  double probability(std::span<const double> features) const;
  /// 1 where the log-odds are above 0; exactly 0 counts as class 0, as in scikit-learn.
  int predict(std::span<const double> features) const;
};

/// Minimises  w'w / 2 + c * sum_i s_i log(1 + exp(-y_i (w'x_i + b)))  with y in {-1, +1} and the
/// intercept b not penalised: the objective of scikit-learn's LogisticRegression. Newton steps with
/// halving, until the Newton decrement vanishes in double precision: separable and badly scaled
/// data converge too, and the answer does not depend on a solver's tolerance. `labels` are 0 or 1,
/// one per row of `features`. One class only: the optimum is at infinity, and weights and intercept
/// are NaN.
LogisticModel fit_logistic(MatrixView features, std::span<const int> labels,
                           const LogisticOptions& options = {});

}  // namespace vestige::metrics
