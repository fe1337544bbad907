// The main results: every method's mean over the replicates of an arm, metric by metric.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "vestige/study/measure.h"

namespace vestige::study {

struct MethodResult {
  std::string arm{};
  Measure measure{};
  std::string method{};  ///< label, or role for controls
  bool control = false;  ///< not a method: original, retrained, collapsed, identity, ...
  metrics::Control role = metrics::Control::none;  ///< of its rows
  std::size_t n = 0;                               ///< blocks (split, original) behind the mean
  /// Mean over blocks with its t interval; with one block, the value with the audit's own interval.
  metrics::Estimate value{};
  std::string interval{};                  ///< its kind; empty without one
  double reference = metrics::kUndefined;  ///< mean of the rows' references
  metrics::Direction direction = metrics::Direction::match;
  double unreliable = 0;  ///< share of its rows that the audits called unreliable
  bool failed = false;    ///< the metric's controls failed in this arm: says nothing about methods
  std::size_t runs = 0;   ///< planned for the method in this arm, where some of them failed; else 0
  std::size_t failed_runs = 0;  ///< of these
};

/// Means over runs and attack seeds within a block, then over blocks. Undefined values are left
/// out.
std::vector<MethodResult> results_table(const std::vector<StudyRow>& rows,
                                        const std::vector<std::string>& audits = {},
                                        bool every_setting = true);

}  // namespace vestige::study
