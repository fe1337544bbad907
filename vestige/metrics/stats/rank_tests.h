// Rank statistics: mid-ranks, Mann-Whitney and Spearman, all with ties handled explicitly.
#pragma once

#include <span>
#include <vector>

#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {

/// Ranks from 1, ties share the mean of their ranks; no NaN allowed.
std::vector<double> mid_ranks(std::span<const double> values);

struct MannWhitney {
  double u = kUndefined;  ///< pairs (x, y) with x > y, ties count one half
  double z = kUndefined;  ///< NaN when every value is tied
  double p = kUndefined;  ///< 1 when every value is tied: nothing speaks against equality
};

/// Mann-Whitney U of x against y by the normal approximation with tie correction, as
/// scipy.stats.mannwhitneyu(method="asymptotic"). NaN if a sample is empty or holds NaN.
MannWhitney mann_whitney(std::span<const double> x, std::span<const double> y,
                         Alternative alternative = Alternative::greater,
                         bool continuity_correction = true);

struct Spearman {
  double rho = kUndefined;
  double p = kUndefined;  ///< two-sided, Student t with n - 2 degrees of freedom
};

/// Spearman's rank correlation. NaN for a constant input, for NaN values and, for p, below 3 pairs.
Spearman spearman(std::span<const double> x, std::span<const double> y);

}  // namespace vestige::metrics
