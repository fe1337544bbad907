// How far two models, or two pools of models, are apart on one metric, with what the tests of the
// verdicts need: two intervals and a p-value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vestige/metrics/result.h"
#include "vestige/metrics/stats/contrast.h"
#include "vestige/result/verdict.h"

namespace vestige::audit {

/// With more pairs of examples Student's t gives the interval that resamples give, and they are
/// slow: drawing 2,000 times as many examples takes longer than most metrics.
inline constexpr std::size_t kMostForBootstrap = 500;

/// Everything about one side of a difference.
struct Side {
  std::vector<double> values;  ///< one per model, or one of a whole pool
  std::vector<double> terms;   ///< per-row terms of the first value; may be empty
  metrics::Estimate interval;  ///< of the first value
};

using result::Code;
using result::Difference;
using result::Reason;
using result::reason;
using result::Reasons;

/// An estimate with a standard error, by Student's t; without error the interval is the estimate
/// itself.
Difference student_difference(double estimate, double error, double degrees, Reason how);

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

/// What differences of gaps must exceed, where forget examples are unlike unseen ones: two
/// trainings then differ on forget examples in their own way, which unseen examples do not show.
/// Both are shares of the original-retrained difference (docs/concepts/verdicts.md, "Unlike
/// examples").
struct Allowance {
  double spread = 0;  ///< standard deviation between two single models
  double beyond = 0;  ///< what does not count as a difference
};
Allowance allowance(const metrics::Contrast& retrained, double smallest_effect);

/// Difference in differences: by how much more the sides differ on forget examples than on unseen
/// examples. Student's t with the error of metrics::gap_difference and the allowance for unlike
/// examples. `reference` is the original-retrained difference (NaN: this difference is), p is that
/// of exceeding `smallest_effect` of it as far as examples are unlike.
Difference unseen_difference(const metrics::Contrast& left, const metrics::Contrast& retrained,
                             double reference = result::kUndefined, double smallest_effect = 0);
/// Difference of two means over rows (metrics::mean_contrast), by rows and models.
Difference mean_difference(const metrics::Contrast& left, const metrics::Contrast& right);

/// The same of distances, whichever way (metrics::distance_gap).
Difference distance_difference(const metrics::Contrast& left, const metrics::Contrast& right);
/// One side alone: forget against unseen examples.
Difference unseen_gap(const metrics::Contrast& group);

/// Over models where there are enough, else over rows where both sides have terms, else by MOVER.
Difference difference(const Side& left, const Side& right, std::uint64_t seed);

}  // namespace vestige::audit
