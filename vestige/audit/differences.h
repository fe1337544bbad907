// How far two models, or two pools of models, are apart on one metric, with what the tests of the
// verdicts need: two intervals and a p-value.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vestige/metrics/result.h"
#include "vestige/metrics/stats/contrast.h"

namespace vestige::audit {

/// Everything about one side of a difference.
struct Side {
  std::vector<double> values;  ///< one per model, or one of a whole pool
  std::vector<double> terms;   ///< per-row terms of the first value; may be empty
  metrics::Estimate interval;  ///< of the first value
};

/// left - right. NaN throughout where there is nothing to tell it from chance by.
struct Difference {
  double estimate = metrics::kUndefined;
  double lower = metrics::kUndefined;  ///< 95 %
  double upper = metrics::kUndefined;
  double lower90 = metrics::kUndefined;  ///< 90 %: inside (-m, m) iff TOST at 5 % shows |.| < m
  double upper90 = metrics::kUndefined;
  double p = metrics::kUndefined;  ///< two-sided, of no difference
  std::string how;                 ///< "Welch t over 40 and 40 models"
};

/// An estimate with a standard error, by Student's t; without error the interval is the estimate
/// itself.
Difference student_difference(double estimate, double error, double degrees, std::string how);

/// Mean of paired differences, pairs with NaN left out: percentile bootstrap with 2,000 resamples
/// for 20 to 500 pairs; Student's t otherwise (few pairs make a bootstrap too narrow, many make
/// it the same and slow).
Difference paired_difference(std::span<const double> left, std::span<const double> right,
                             std::uint64_t seed);

/// Welch's t over models where both sides have two or more. One model against three or more: as
/// far as a single model of that pool may lie from the mean of the others (Crawford and Howell
/// 1998). NaN otherwise and without spread.
Difference model_difference(std::span<const double> left, std::span<const double> right);

/// From two separate intervals of 95 % by MOVER (Zou and Donner 2008), as if independent. The 90 %
/// interval and p scale the half-widths like a normal distribution's.
Difference mover_difference(const metrics::Estimate& left, const metrics::Estimate& right);

/// Difference in differences: by how much more the sides differ on forget rows than on rows that
/// nobody saw. Student's t with the error of metrics::gap_difference.
Difference unseen_difference(const metrics::Contrast& left, const metrics::Contrast& right);
/// Difference of two means over rows (metrics::mean_contrast), by rows and models.
Difference mean_difference(const metrics::Contrast& left, const metrics::Contrast& right);

/// The same of distances, whichever way (metrics::distance_gap).
Difference distance_difference(const metrics::Contrast& left, const metrics::Contrast& right);
/// One side alone: forget rows against rows that nobody saw.
Difference unseen_gap(const metrics::Contrast& group);

/// Over models where there are enough, else over rows where both sides have terms, else by MOVER.
Difference difference(const Side& left, const Side& right, std::uint64_t seed);

}  // namespace vestige::audit
