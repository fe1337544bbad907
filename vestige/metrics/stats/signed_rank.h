// Wilcoxon's signed-rank test (1945) for paired differences, exact for small samples.
#pragma once

#include <cstddef>
#include <span>

#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {

struct SignedRank {
  std::size_t n = 0;             ///< differences other than 0
  double positive = kUndefined;  ///< sum of the ranks of positive differences
  double p = kUndefined;
  bool exact = false;
};

/// Wilcoxon signed-rank test of differences against 0. Zeros are left out (Wilcoxon's own rule),
/// ties share their mean rank. Up to 50 differences the distribution is exact, given the ties;
/// beyond, normal with tie correction. NaN: a NaN among the differences, or none other than 0.
SignedRank signed_rank(std::span<const double> differences,
                       Alternative alternative = Alternative::two_sided);

}  // namespace vestige::metrics
