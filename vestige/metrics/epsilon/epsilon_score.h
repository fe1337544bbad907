// From eps per forget row to the forgetting quality F and the final score (competition paper,
// Section 3.1.2 and Equation 2).
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/epsilon/epsilon.h"

namespace vestige::metrics {

/// What becomes of F when the eps of some row is undefined.
enum class UndefinedRows {
  leave_out,  ///< F is the mean over the other rows (exact mode)
  propagate,  ///< F is undefined (reference mode, where the public scorer stops)
};

/// Bins of width 0.5 that N models a side can fill: they end at ceil(ln(N - 1)). 0 for N < 3.
std::size_t epsilon_bins(std::size_t models);

/// Points of one eps: 2^-b in bin b = floor(eps / 0.5), 0 beyond the last bin, NaN for NaN. The
/// paper prints 2 / 2^n; the public code and its published scores give 1, 1/2, 1/4, ...
double forget_points(double epsilon, std::size_t models);

/// F and what stands behind it.
struct ForgetScore {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< NaN if no row is defined
  std::vector<double> points;                               ///< per row; NaN where eps is
  std::size_t undefined = 0;                                ///< rows without an eps
};

/// F = mean points over rows. `models` is the smaller of the two model counts.
ForgetScore forget_score(std::span<const double> epsilons, std::size_t models,
                         UndefinedRows undefined = UndefinedRows::leave_out);

/// Mean accuracies over the models that are compared.
struct UtilityAccuracies {
  double unlearned_retain = std::numeric_limits<double>::quiet_NaN();
  double retrained_retain = std::numeric_limits<double>::quiet_NaN();
  double unlearned_test = std::numeric_limits<double>::quiet_NaN();
  double retrained_test = std::numeric_limits<double>::quiet_NaN();
};

/// (retain accuracy ratio) x (test accuracy ratio), unlearned over retrained: what F is multiplied
/// by. NaN if an accuracy of retrained is 0 or anything is NaN.
double utility_factor(const UtilityAccuracies& accuracies);

/// F x utility_factor (Equation 2).
double final_score(double forget_score, const UtilityAccuracies& accuracies);

/// The median of the values that are not NaN; NaN if none is.
double median_epsilon(std::span<const double> epsilons);

/// eps of every row and what they add up to.
struct ForgetQuality {
  std::vector<Epsilon> rows;
  std::vector<double> epsilons;  ///< the field `epsilon` of each row
  ForgetScore score;
  std::size_t models = 0;     ///< N: the smaller of the two model counts
  std::size_t separated = 0;  ///< rows with eps at the cap
};

/// Everything from confidences: matrices are [models, rows], the two model counts may differ.
ForgetQuality forget_quality(MatrixView unlearned, MatrixView retrained,
                             EpsilonMode mode = EpsilonMode::exact,
                             const EpsilonOptions& options = {});

}  // namespace vestige::metrics
