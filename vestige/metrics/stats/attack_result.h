// How well a membership score separates retained from forgotten rows: AUC with its interval, and
// true positive rates at low false positive rates where there are enough rows to see them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vestige/metrics/estimate.h"
#include "vestige/metrics/stats/roc.h"

namespace vestige::metrics {

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
