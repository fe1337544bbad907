// Logistic regression on rows that resemble rows fitted before: the earlier optimum is the first
// guess, and the curvature there makes every step cheap.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/kernels/gumbel_kernel.h"
#include "vestige/metrics/learn/logistic.h"

namespace vestige::metrics {

/// Rows that lie anywhere, borrowed; every one has `cols` features.
struct LabelledRows {
  std::size_t cols = 0;
  std::vector<const double*> rows;
  std::vector<int> labels;  ///< 0 or 1, one per row

  Matrix gathered() const;
};

/// More features than this make the inverse of the curvature dearer than what it saves.
inline constexpr std::size_t kLargestNear = 4000;

/// The optimum of the default objective (LogisticOptions{}) on some rows.
struct LogisticStart {
  std::vector<double> weights;  ///< [cols + 1], the intercept behind the features
  Matrix inverse;               ///< of the objective's second derivative there, symmetric
  Matrix factor;                ///< of many features, instead: its lower Cholesky factor
};

/// From the rows' own optimum. No weights where that is of no use to others: one class only, more
/// than kLargestNear features, or no convergence.
LogisticStart logistic_start(const LabelledRows& rows);

/// fit_logistic(rows, labels): the same optimum by L-BFGS steps (Liu and Nocedal 1989) in the
/// metric of `start`, until the estimated Newton decrement is as small as there. A step costs one
/// pass over the rows, a Newton step as many as there are features. Where it does not get there,
/// and from a start without weights, fit_logistic does the work.
LogisticModel fit_logistic_near(const LabelledRows& rows, const LogisticStart& start);

/// The objective at `weights` [cols + 1] and its gradient, of the same length; `signs` are -1 or 1.
/// Same bytes for any instructions.
double logistic_objective(std::span<const double* const> rows, std::span<const double> signs,
                          std::span<const double> weights, std::span<double> gradient,
                          Instructions instructions = Instructions::best);

}  // namespace vestige::metrics
