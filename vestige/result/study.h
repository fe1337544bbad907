// What the audits of an experiment say together: the `bench` object of results.json.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "vestige/result/study_comparison.h"

namespace vestige::result {

/// One method's (or control's) mean over the blocks of a variant.
struct MethodResult {
  Measure measure{};
  std::string variant{};
  std::string method{};  ///< label, or role for controls
  bool control = false;  ///< not a method: original, retrained, constant, identity, ...
  Control role = Control::none;
  std::size_t n = 0;  ///< blocks (split, original) behind the mean
  /// Mean over blocks with its t interval; with one block, the value with the audit's own interval.
  Estimate value{};
  Reason interval{};              ///< its kind; empty without one
  double reference = kUndefined;  ///< mean of the rows' references
  Direction direction = Direction::match;
  double unreliable = 0;  ///< share of its rows that the audits called unreliable
  bool failed =
      false;  ///< the metric's controls failed in this variant: says nothing about methods
  std::size_t runs =
      0;  ///< planned for the method in this variant, where some of them failed; else 0
  std::size_t failed_runs = 0;  ///< of these

  static constexpr std::string_view kType = "MethodResult";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit(kInline, &MethodResult::measure, "what was measured");
    visit("variant", &MethodResult::variant, "variant of the experiment");
    visit("method", &MethodResult::method, "name of the method, or role of a control");
    visit("control", &MethodResult::control, "a control, not a method");
    visit("role", &MethodResult::role,
          "which control: retrained, original, ...; empty for a method");
    visit("n", &MethodResult::n, "blocks behind the mean");
    visit(kInline, &MethodResult::value, "mean over blocks");
    visit("interval", &MethodResult::interval, "kind of the interval; null without one");
    visit("reference", &MethodResult::reference, "mean of the retrained values beside it");
    visit("direction", &MethodResult::direction, "which way is good");
    visit("unreliable", &MethodResult::unreliable, "share of its rows that audits called so");
    visit("controls_failed", &MethodResult::failed,
          "the metric failed its controls in this variant: it says nothing about methods");
    visit("runs", &MethodResult::runs, "planned runs, where some failed; else 0");
    visit("failed_runs", &MethodResult::failed_runs, "runs that failed");
  }
};

/// Where noise comes from: what was drawn anew.
enum class Level { none, split, training, unlearning, attack };
VESTIGE_NAMES(Level, {Level::none, ""}, {Level::split, "split"}, {Level::training, "training"},
              {Level::unlearning, "unlearning"}, {Level::attack, "attack"})

struct LevelShare {
  Level level = Level::none;
  std::size_t groups = 0;  ///< how many there were, all parents together
  bool estimable = false;
  double component = kUndefined;  ///< variance; 0 where the estimate was negative
  double share = kUndefined;      ///< of the total variance
  bool negative = false;          ///< the estimate was below 0
  std::vector<Level> includes{};  ///< levels that cannot be told apart from it

  static constexpr std::string_view kType = "LevelShare";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("level", &LevelShare::level, "split, training, unlearning or attack");
    visit("groups", &LevelShare::groups, "how many there were");
    visit("estimable", &LevelShare::estimable, "whether there were enough to estimate it");
    visit("component", &LevelShare::component, "its variance; 0 where the estimate was negative");
    visit("share", &LevelShare::share, "its share of the total variance");
    visit("negative", &LevelShare::negative, "the estimate was below 0");
    visit("includes", &LevelShare::includes, "levels that cannot be told apart from it");
  }
};

struct VarianceRow {
  Measure measure{};
  std::string variant{};
  std::string method{};  ///< "*": mean of the components over the methods
  std::size_t n = 0;
  double mean = kUndefined;
  double total = kUndefined;         ///< variance of one measurement
  std::vector<LevelShare> levels{};  ///< split, training, unlearning, attack
  Level noisiest = Level::none;      ///< with the largest share; none if none is estimable
  Reason source{};                   ///< where the noise comes from

  static constexpr std::string_view kType = "VarianceRow";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit(kInline, &VarianceRow::measure, "what was measured");
    visit("variant", &VarianceRow::variant, "variant of the experiment");
    visit("method", &VarianceRow::method, "name of the method; *: mean over the methods");
    visit("n", &VarianceRow::n, "measurements");
    visit("mean", &VarianceRow::mean, "their mean");
    visit("total", &VarianceRow::total, "variance of one measurement");
    visit("levels", &VarianceRow::levels, "the variance by its source");
    visit("noisiest", &VarianceRow::noisiest, "source of the largest share; may be empty");
    visit("source", &VarianceRow::source, "where the noise comes from");
  }
};

enum class CheckOutcome { held, did_not_hold, inconclusive };
VESTIGE_NAMES(CheckOutcome, {CheckOutcome::held, "held"},
              {CheckOutcome::did_not_hold, "did not hold"},
              {CheckOutcome::inconclusive, "inconclusive"})

/// What the experiment says about one check of its recipe.
struct CheckResult {
  std::string finding{};
  std::string source{};
  bool control = false;
  CheckOutcome outcome = CheckOutcome::inconclusive;
  Reasons reasons{};    ///< the numbers, and how they were compared; then conditions and cautions
  Estimate estimate{};  ///< of what was decided on: difference, rho, tau, share
  std::size_t n = 0;    ///< replicates behind it
  Reason how{};         ///< kind of interval or test

  static constexpr std::string_view kType = "CheckResult";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("finding", &CheckResult::finding, "the claim, as the recipe states it");
    visit("source", &CheckResult::source, "where it was made");
    visit("control", &CheckResult::control, "about the program or a guarantee, not a paper's");
    visit("outcome", &CheckResult::outcome, "held, did not hold or inconclusive");
    visit("reasons", &CheckResult::reasons, "the numbers, and how they were compared");
    visit(kInline, &CheckResult::estimate, "what was decided on");
    visit("n", &CheckResult::n, "replicates behind it");
    visit("how", &CheckResult::how, "kind of interval or test");
  }
};

/// One method in one variant (all repeats together) of which some runs failed.
struct FailedRuns {
  std::string variant{};
  std::string method{};     ///< label, or the role of trained models
  std::size_t runs = 0;     ///< planned
  std::size_t failed = 0;   ///< of these
  Reason why{};             ///< the most frequent reason
  bool unlearning = false;  ///< runs of an unlearning method that is judged

  static constexpr std::string_view kType = "FailedRuns";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("variant", &FailedRuns::variant, "variant of the experiment");
    visit("method", &FailedRuns::method, "name of the method, or role of trained models");
    visit("runs", &FailedRuns::runs, "planned runs");
    visit("failed", &FailedRuns::failed, "runs that failed");
    visit("unlearning", &FailedRuns::unlearning,
          "whether they are runs of a method that is judged");
    visit("why", &FailedRuns::why, "the most frequent reason");
  }
};

/// The same as a reason that names method and variant.
Reason failed_runs_reason(const FailedRuns& runs);

/// Everything that the audits of an experiment say together.
struct Study {
  std::vector<CheckResult> findings{};
  std::vector<MethodResult> results{};
  std::vector<ControlRow> controls{};
  Reasons failed{};                       ///< metrics that failed their controls, or need care
  std::vector<FailedRuns> failed_runs{};  ///< what methods could not do
  MethodComparison comparison{};
  std::vector<VarianceRow> variance{};

  static constexpr std::string_view kType = "Study";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("findings", &Study::findings, "one entry per check of the recipe");
    visit("methods", &Study::results, "means of every method and control");
    visit("controls", &Study::controls, "one entry per measure and variant that has controls");
    visit("failed_controls", &Study::failed,
          "metrics that failed their controls, and metrics that need care");
    visit("failed_runs", &Study::failed_runs, "methods of which runs failed");
    visit("comparison", &Study::comparison, "which method is better");
    visit("variance", &Study::variance, "where the noise comes from");
  }
};

}  // namespace vestige::result
