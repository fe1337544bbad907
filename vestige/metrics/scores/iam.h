// IAM, interpolated approximate measurement (Wang et al. 2025, "Towards Lifecycle Unlearning
// Commitment Management"): where a model's response to a row stands between what models say that
// never saw it (shadows, OUT) and what the model says that fitted it (IN).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

struct ResponseOptions {
  double epsilon1 = 1e-2;   ///< bounds the response of probabilities near 1
  double epsilon2 = 1e-5;   ///< bounds the response of probabilities near 0
  bool unit_range = false;  ///< map to [0, 1] by the responses of p = 0 and p = 1
  bool bounded = true;      ///< false: -ln(-ln p), infinite at p = 0 and p = 1 (eq. 6)
};

/// -ln(epsilon1 - ln(p + epsilon2)) of the true-class probability p (eq. 8). Throws unless
/// epsilon1, epsilon2 > 0 and exp(epsilon1) > 1 + epsilon2, which the logarithm needs at p = 1.
std::vector<double> iam_responses(std::span<const double> probabilities,
                                  const ResponseOptions& options = {});

/// Where the spread of the responses at one level is taken from.
enum class IamVariance {
  global,   ///< one standard deviation over models x rows jointly, as the authors' code does
  per_row,  ///< over models, row by row; needs two shadows
};

enum class LevelDistribution { gumbel, normal };

struct IamOptions {
  std::size_t levels = 100;                    ///< m; the last level, IN itself, is not used
  IamVariance variance = IamVariance::global;  ///< where the spread comes from
  LevelDistribution distribution = LevelDistribution::gumbel;  ///< fitted by moments
  double zero_deviation = kUndefined;  ///< stands in for a standard deviation of 0; NaN: undefined
};

/// All that the levels need to know of the shadows, since interpolation is affine.
struct ShadowMoments {
  std::size_t shadows = 0;
  std::vector<double> mean;       ///< per row, over shadows
  std::vector<double> deviation;  ///< per row, over shadows, ddof 0
  double within = kUndefined;     ///< mean over rows of the squared deviations
  double largest = kUndefined;    ///< largest |response|: the scale of rounding errors
};

/// Moments of responses [shadows, rows]. Throws without shadows or rows.
ShadowMoments shadow_moments(MatrixView responses);

/// Membership score of each row in [0, 1]: 1 = fully fitted, 0 = what a model says that never saw
/// the row; completeness of unlearning = 1 - score. `in` is the response of the fitted model per
/// row (offline: one number for all rows, see offline_in). Level k = 0 .. m - 2 interpolates
/// r_k = (1 - t) shadow + t IN with t = k / (m - 1); the score is the mean of the distribution
/// functions of the target's response with weights k + 1 (eq. 3-7). O(rows * levels) whatever the
/// number of shadows. A level (global) or row (per_row) without spread, up to rounding, has no
/// distribution: NaN.
std::vector<double> iam_scores(std::span<const double> target, const ShadowMoments& shadows,
                               std::span<const double> in, const IamOptions& options = {});

/// Standard deviation over models x rows at each level 0 .. m - 2.
std::vector<double> level_deviations(const ShadowMoments& shadows, std::span<const double> in,
                                     std::size_t levels);

/// The stand-in for a fitted response without the original model: mean over shadows of the mean
/// response on their own training rows. NaN without shadows.
double offline_in(std::span<const std::vector<double>> responses_on_training_rows);

}  // namespace vestige::metrics
