// From eps per forget row to the forgetting quality F and the final score (competition paper,
// Section 3.1.2 and Equation 2).
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/epsilon/epsilon.h"

namespace vestige::metrics {

/// What becomes of F when the eps of some row is undefined.
enum class UndefinedRows {
  leave_out,  ///< F is the mean over the other rows (exact mode)
  propagate,  ///< F is undefined (reference mode, where the public scorer stops)
};

/// How eps of many rows becomes one number (the paper's A.2 names the alternatives to the mean).
enum class Aggregation {
  mean,      ///< mean of the rows' points, as in the competition
  median,    ///< points of the median eps
  quantile,  ///< points of a quantile of eps
  maximum,   ///< points of the largest eps
};
std::string_view name(Aggregation aggregation);

struct PointsOptions {
  double bin_width = 0.5;
  Aggregation aggregation = Aggregation::mean;
  double quantile = 0.9;  ///< of eps, by linear interpolation; for Aggregation::quantile
};

/// Bins that N models per group can fill: they end at ceil(ln(N - 1)), or behind it where the width
/// does not divide that. 0 for N < 3.
std::size_t epsilon_bins(std::size_t models, double bin_width = 0.5);

/// Points of one eps: 2^-b in bin b = floor(eps / width), 0 beyond the last bin, NaN for NaN. The
/// paper prints 2 / 2^n; the public code and its published scores give 1, 1/2, 1/4, ...
double forget_points(double epsilon, std::size_t models, double bin_width = 0.5);

/// The median, quantile or largest eps; NaN where there is none. Not for Aggregation::mean, which
/// averages points.
double aggregate_epsilon(std::span<const double> epsilons, const PointsOptions& options);

/// F and what stands behind it.
struct ForgetScore {
  double value = std::numeric_limits<double>::quiet_NaN();  ///< NaN if no row is defined
  std::vector<double> points;                               ///< per row; NaN where eps is
  std::size_t undefined = 0;                                ///< rows without an eps
};

/// F = mean points over rows, or points of another aggregate. `models` is the smaller of the two
/// model counts.
ForgetScore forget_score(std::span<const double> epsilons, std::size_t models,
                         UndefinedRows undefined = UndefinedRows::leave_out,
                         const PointsOptions& options = {});

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
                             const EpsilonOptions& options = {}, const PointsOptions& points = {});

}  // namespace vestige::metrics
