// What every metric says about models whose answer is known, over all replicates of an arm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/study/measure.h"

namespace vestige::study {

enum class ControlVerdict { passed, failed, not_testable };
std::string_view name(ControlVerdict verdict);  // "passed", "failed", "not testable"

/// Retrained with part of forget removed: between ceiling (0 %) and floor (100 %).
struct Grade {
  std::string name{};                    ///< "partial/25"
  double removed = metrics::kUndefined;  ///< per cent of forget that was removed
  metrics::Estimate value{};             ///< mean over replicates with t interval
  std::size_t n = 0;                     ///< replicates
};

/// One step from less to more removed: does the metric get better?
struct GradeStep {
  std::string from{};
  std::string to{};
  std::size_t n = 0;                      ///< replicates with both
  double gain = metrics::kUndefined;      ///< mean of from - to, turned so that large is bad
  double p_better = metrics::kUndefined;  ///< one-sided paired t: gain above 0
  double p_worse = metrics::kUndefined;   ///< one-sided paired t: gain below 0
};

/// A replicate is a block: the models of one index in one split (pooled rows: a split). Values are
/// means over runs and attack seeds.
struct ControlRow {
  Measure measure{};
  std::string arm{};
  metrics::Direction direction = metrics::Direction::match;
  std::size_t replicates = 0;
  /// Means over replicates with t interval; with one replicate, the row's own interval.
  metrics::Estimate floor{};
  metrics::Estimate ceiling{};
  metrics::Estimate collapsed{};
  std::vector<Grade> graded{};         ///< by `removed`, ascending
  std::vector<GradeStep> steps{};      ///< original -> first grade -> ... -> retrained
  std::vector<GradeStep> between{};    ///< every two grades, less removed first
  bool graded_in_order = false;        ///< every step gains, in the means
  std::size_t ordered = 0;             ///< replicates in which every step gains
  std::size_t graded_replicates = 0;   ///< replicates that have all grades, floor and ceiling
  double power = metrics::kUndefined;  ///< share of (original, retrained) pairs, within replicates,
                                       ///< in which the original is worse; ties count one half
  std::size_t pairs = 0;
  double d_prime = metrics::kUndefined;  ///< difference of the means over the spread within roles
  double unreliable =
      metrics::kUndefined;  ///< share of audits (split, attack seed) that called it so
  bool fooled = false;      ///< a constant predictor is as good as retrained
  ControlVerdict verdict = ControlVerdict::not_testable;
  std::string reason{};
};

/// One row for every measure and arm that has a control, that an audit marked, or that is worked
/// out from other metrics, whose failures it inherits (inherit_controls.h). Large is bad for
/// direction lower, small for higher; for match, the side of retrained on which the originals' mean
/// lies is bad (so power is at least about one half there). Failed: called unreliable by more than
/// half of the audits; or, over three replicates and more, the 95 % t interval of the mean
/// difference between original and retrained reaches 0; or a step of the graded retrains goes the
/// wrong way (p < 0.05). Not testable: a floor or a ceiling is missing, or the metric is not asked
/// to tell original from retrained.
std::vector<ControlRow> controls_table(const std::vector<StudyRow>& rows, std::uint64_t seed = 1);

/// Which metrics failed their own controls, and which need care, one sentence each.
std::vector<std::string> failed_controls(const std::vector<ControlRow>& table);

}  // namespace vestige::study
