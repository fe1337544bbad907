// What an experiment says about its metrics: values of models whose answer is known.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "vestige/result/estimate.h"

namespace vestige::result {

/// One metric, measured in one way. Values of different measures are never averaged.
struct Measure {
  std::string metric{};
  std::string setting{};  ///< audit::setting of the rows: the settings that matter
  std::string audit{};
  auto operator<=>(const Measure&) const = default;

  static constexpr std::string_view kType = "Measure";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("metric", &Measure::metric, "id of the metric");
    visit("setting", &Measure::setting, "settings that make values comparable: alpha=0.05;");
    visit("audit", &Measure::audit, "name of the audit");
  }
};

/// "conformal.coverage (alpha=0.05)"; with the audit's name where `with_audit`.
std::string label(const Measure& measure, bool with_audit = false);

enum class ControlVerdict { passed, failed, not_testable };
VESTIGE_NAMES(ControlVerdict, {ControlVerdict::passed, "passed"},
              {ControlVerdict::failed, "failed"}, {ControlVerdict::not_testable, "not testable"})

/// Models retrained with part of the forget set removed: between original and retrained.
struct GradedValue {
  std::string name{};           ///< "partial/25"
  double removed = kUndefined;  ///< per cent of the forget set that was removed
  std::size_t n = 0;            ///< replicates
  Estimate value{};             ///< mean over replicates with t interval

  static constexpr std::string_view kType = "GradedValue";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("name", &GradedValue::name, "name of the models: partial/25");
    visit("removed", &GradedValue::removed, "per cent of the forget set that was removed");
    visit("n", &GradedValue::n, "replicates");
    visit(kInline, &GradedValue::value, "mean over replicates");
  }
};

/// One step from less to more removed: does the metric get better?
struct GradeStep {
  std::string from{};
  std::string to{};
  std::size_t n = 0;             ///< replicates with both
  double gain = kUndefined;      ///< mean of from - to, turned so that large is bad
  double p_better = kUndefined;  ///< one-sided paired t: gain above 0
  double p_worse = kUndefined;   ///< one-sided paired t: gain below 0

  static constexpr std::string_view kType = "GradeStep";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("from", &GradeStep::from, "models with less removed");
    visit("to", &GradeStep::to, "models with more removed");
    visit("n", &GradeStep::n, "replicates that have both");
    visit("gain", &GradeStep::gain, "mean improvement");
    visit("p_better", &GradeStep::p_better, "one-sided p of a paired t test: better");
    visit("p_worse", &GradeStep::p_worse, "one-sided p of a paired t test: worse");
  }
};

struct Graded {
  std::vector<GradedValue> values{};   ///< by `removed`, ascending
  std::vector<GradeStep> steps{};      ///< original -> first grade -> ... -> retrained
  std::vector<GradeStep> between{};    ///< every two grades, less removed first
  std::optional<bool> in_order{};      ///< every step gains, in the means; none without grades
  std::size_t ordered_replicates = 0;  ///< replicates in which every step gains
  std::size_t replicates = 0;          ///< that have all grades, original and retrained

  static constexpr std::string_view kType = "Graded";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("values", &Graded::values, "values by share removed, ascending");
    visit("steps", &Graded::steps, "from the original over the grades to retrained");
    visit("between", &Graded::between, "the same for every two grades");
    visit("in_order", &Graded::in_order, "every step gains in the means; null without grades");
    visit("ordered_replicates", &Graded::ordered_replicates, "replicates in which all steps gain");
    visit("replicates", &Graded::replicates, "replicates that have all grades");
  }
};

/// A replicate is a block: the models of one index in one split (pooled rows: a split). Values are
/// means over runs and attack seeds.
struct ControlRow {
  Measure measure{};
  std::string variant{};
  Direction direction = Direction::match;
  std::size_t replicates = 0;
  /// Means over replicates with t interval; with one replicate, the row's own interval.
  Estimate retrained{};
  Estimate original{};
  Estimate constant{};
  Graded graded{};
  double power = kUndefined;  ///< share of (original, retrained) pairs, within replicates, in which
                              ///< the original is worse; ties count one half
  std::size_t pairs = 0;
  double d_prime = kUndefined;     ///< difference of the means over the spread within roles
  double unreliable = kUndefined;  ///< share of audits (split, attack seed) that called it so
  bool fooled = false;             ///< a constant predictor is as good as retrained
  ControlVerdict verdict = ControlVerdict::not_testable;
  Reason reason{};

  static constexpr std::string_view kType = "ControlRow";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit(kInline, &ControlRow::measure, "what was measured");
    visit("variant", &ControlRow::variant, "variant of the experiment");
    visit("direction", &ControlRow::direction, "which way is good");
    visit("replicates", &ControlRow::replicates, "blocks");
    visit("retrained", &ControlRow::retrained, "the retrained models");
    visit("original", &ControlRow::original, "the original models");
    visit("constant", &ControlRow::constant, "the constant predictor");
    visit("graded", &ControlRow::graded, "models retrained with part of the forget set removed");
    visit("power", &ControlRow::power,
          "share of (original, retrained) pairs in which the original is worse");
    visit("pairs", &ControlRow::pairs, "number of these pairs");
    visit("d_prime", &ControlRow::d_prime, "difference of the means over the spread within roles");
    visit("unreliable", &ControlRow::unreliable, "share of audits that called it unreliable");
    visit("fooled_by_constant", &ControlRow::fooled,
          "a constant predictor is as good as a retrained model");
    visit("verdict", &ControlRow::verdict, "passed, failed or not testable");
    visit("reason", &ControlRow::reason, "why");
  }
};

}  // namespace vestige::result
