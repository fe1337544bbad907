// How well a membership score separates retained from forgotten rows: AUC with its interval, and
// true positive rates at low false positive rates where there are enough rows to see them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vestige/metrics/result.h"

namespace vestige::metrics {

/// AUC of members against non-members with the interval of DeLong, DeLong and Clarke-Pearson
/// (1988), in O(n log n) by mid-ranks (Sun and Xu 2014), cut at 0 and 1. Where the two samples are
/// apart (AUC 0 or 1) that variance is 0 although the data are finite: the interval is then
/// Clopper and Pearson's for min(n, m) disjoint pairs. All scores equal: 0.5 and no width. NaN if a
/// sample is empty or holds NaN; NaN interval if a sample has one row and the AUC is neither 0 nor
/// 1.
Estimate auc_interval(std::span<const double> members, std::span<const double> nonmembers,
                      double level = 0.95);

/// True positive rate at one false positive rate.
struct LowRate {
  double fpr = 0;
  bool resolvable = false;  ///< false: one non-member alone is a larger share than `fpr`
  Estimate tpr;             ///< NaN where not resolvable; Clopper-Pearson, threshold taken as given
};

struct AttackResult {
  Estimate auc;
  std::vector<LowRate> rates;  ///< at FPR 1 %, 0.1 %, 0.01 % and 0
  std::size_t members = 0;
  std::size_t nonmembers = 0;
};

/// Scores say "member" when high. Rates are steps, not interpolated: the largest TPR of any
/// threshold whose FPR is not above the one asked for.
AttackResult evaluate_attack(std::span<const double> members, std::span<const double> nonmembers);

}  // namespace vestige::metrics
