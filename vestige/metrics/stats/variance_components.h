// How much of the spread comes from which level of a nested design: random-effects analysis of
// variance, unbalanced designs included.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

/// One level of the design, e.g. "split".
struct VarianceLevel {
  std::size_t groups = 0;              ///< distinct groups at this level, all parents together
  std::size_t degrees_of_freedom = 0;  ///< groups less those of the level above
  double mean_square = kUndefined;
  /// Variance of this level's effect; negative estimates are set to 0; NaN: not estimable.
  double component = kUndefined;
  double raw = kUndefined;    ///< as estimated: below 0 where the level's noise is not seen
  double share = kUndefined;  ///< of the sum of the components
  bool estimable = false;
  /// Levels further in that have one member in every group: their variance cannot be told from this
  /// one's and is part of `component`.
  std::vector<std::size_t> includes{};
};

struct VarianceComponents {
  std::size_t n = 0;
  double mean = kUndefined;
  std::vector<VarianceLevel> levels{};  ///< outermost first; the last is the observations' own
  double total = kUndefined;            ///< sum of the components; NaN if no level is estimable
};

/// y = mean + effect of outer group + ... + effect of the observation. `groups[l][i]` is the group
/// of observation i at level l, outermost level first; a group's name counts only within its
/// parent. The observations themselves are the last level of the result, so it has groups.size()
/// + 1.
///
/// Method of moments (Henderson's method I, 1953; Searle, Casella and McCulloch, Variance
/// Components, 1992, ch. 5; coefficients for any number of levels: Gates and Shiue, JASA 57, 1962):
/// the sum of squares of level l is T_l - T_{l-1} with T_l = sum over its groups of n_g ybar_g^2,
/// whose expectation is sum_{k >= l} sigma_k^2 (c_lk - c_{l-1,k}), c_lk = sum over level-k groups j
/// of n_j^2 / n of the level-l group around j. Solved from the innermost level outwards.
///
/// A level without degrees of freedom is not estimable: its variance is part of the next estimable
/// level outside it (`includes`), or of the mean. NaN among the values: everything is NaN.
VarianceComponents variance_components(std::span<const double> values,
                                       const std::vector<std::vector<std::size_t>>& groups);

}  // namespace vestige::metrics
