// Two audits side by side: what changed in the verdicts, in the numbers beyond their intervals, and
// in what they were made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/report/results.h"
#include "vestige/result/verdict.h"

namespace vestige::practice {

/// What a verdict answers beside its word.
enum class VerdictQuestion { under, over, equivalent, utility_loss };

struct ChangedAnswer {
  VerdictQuestion question = VerdictQuestion::under;
  result::Outcome before = result::Outcome::not_tested, after = result::Outcome::not_tested;

  bool operator==(const ChangedAnswer&) const = default;
  static constexpr std::string_view kType = "ChangedAnswer";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("question", &ChangedAnswer::question, "under, over, equivalent or utility_loss");
    visit("before", &ChangedAnswer::before, "outcome in the earlier audit");
    visit("after", &ChangedAnswer::after, "outcome in the later audit");
  }
};

/// A method's verdict in both audits; no word where an audit lacks the method.
struct ChangedVerdict {
  std::string variant{}, method{};
  std::optional<result::Word> before{}, after{};
  std::vector<ChangedAnswer> answers{};
  bool worse = false;  ///< fewer reassuring answers than before: see `compare`

  static constexpr std::string_view kType = "ChangedVerdict";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("variant", &ChangedVerdict::variant, "variant of the experiment; empty in an audit");
    visit("method", &ChangedVerdict::method, "unlearning method");
    visit("before", &ChangedVerdict::before, "word in the earlier audit; null where absent");
    visit("after", &ChangedVerdict::after, "word in the later audit; null where absent");
    visit("answers", &ChangedVerdict::answers, "outcomes that changed");
    visit("worse", &ChangedVerdict::worse, "whether the later audit says less that reassures");
  }
};

/// A number that changed: by more than the intervals allow, or without an interval.
struct MovedValue {
  std::string metric{}, subject{};
  std::string variant{};
  Json settings = Json::object();
  double before = metrics::kUndefined, after = metrics::kUndefined;
  double distance = 0;  ///< in half widths of the wider interval

  static constexpr std::string_view kType = "MovedValue";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("metric", &MovedValue::metric, "id of the metric");
    visit("subject", &MovedValue::subject, "the model or group of models");
    visit("variant", &MovedValue::variant, "variant of the experiment; empty in an audit");
    visit("settings", &MovedValue::settings, "how it was measured");
    visit("before", &MovedValue::before, "value in the earlier audit");
    visit("after", &MovedValue::after, "value in the later audit");
    visit("half_widths", &MovedValue::distance, "distance in half widths of the wider interval");
  }
};

/// A metric of a method whose status changed.
struct ChangedStatus {
  std::string metric{}, subject{};
  std::string variant{};
  result::Status before = result::Status::ok, after = result::Status::ok;
  result::Reasons notes{};  ///< of the later one

  static constexpr std::string_view kType = "ChangedStatus";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("metric", &ChangedStatus::metric, "id of the metric");
    visit("subject", &ChangedStatus::subject, "the model or group of models");
    visit("variant", &ChangedStatus::variant, "variant of the experiment; empty in an audit");
    visit("before", &ChangedStatus::before, "status in the earlier audit");
    visit("after", &ChangedStatus::after, "status in the later audit");
    visit("notes", &ChangedStatus::notes, "notes of the later audit");
  }
};

struct Comparison {
  std::string before{}, after{};  ///< names of the files
  std::vector<ChangedVerdict> verdicts{};
  std::vector<MovedValue> moved{};  ///< beyond intervals and seed; largest change first
  /// Beyond the intervals, but the seed changed too, and what it changes elsewhere, or what it
  /// changes at all, does not rule it out as the cause.
  std::vector<MovedValue> by_seed{};
  std::vector<MovedValue> without_changed{};  ///< without an interval, where the seed is the same
  std::vector<ChangedStatus> statuses{};
  result::Reasons inputs{};                     ///< files that changed, came or went
  result::Reasons circumstances{};              ///< version, seed, options, quality, policy, models
  std::size_t compared = 0;                     ///< numbers that both have with an interval
  std::size_t without = 0;                      ///< numbers that both have without an interval
  std::size_t only_before = 0, only_after = 0;  ///< numbers that the other lacks
  std::size_t same_inputs = 0;
  std::uint64_t seed_before = 1, seed_after = 1;
  bool seed_alone = false;  ///< the seed changed and no input file did

  static constexpr std::string_view kType = "Comparison";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("before", &Comparison::before, "name of the earlier results");
    visit("after", &Comparison::after, "name of the later results");
    visit("verdicts", &Comparison::verdicts, "verdicts that changed");
    visit("moved", &Comparison::moved, "values that changed by more than their intervals allow");
    visit("by_seed", &Comparison::by_seed, "values that the changed seed may have moved");
    visit("without_changed", &Comparison::without_changed,
          "values without an interval that changed under the same seed");
    visit("statuses", &Comparison::statuses, "values whose status changed");
    visit("inputs", &Comparison::inputs, "input files that changed");
    visit("circumstances", &Comparison::circumstances, "what else changed");
    visit("compared", &Comparison::compared, "values that both have with an interval");
    visit("without_interval", &Comparison::without, "values that both have without an interval");
    visit("only_before", &Comparison::only_before, "values only in the earlier results");
    visit("only_after", &Comparison::only_after, "values only in the later results");
    visit("same_inputs", &Comparison::same_inputs, "input files that did not change");
    visit("seed_before", &Comparison::seed_before, "seed of the earlier audit");
    visit("seed_after", &Comparison::seed_after, "seed of the later audit");
    visit("seed_alone", &Comparison::seed_alone, "whether only the seed changed");
  }

  /// Nothing that a reader must act on changed.
  bool quiet() const;
  bool other_seed() const { return seed_before != seed_after; }
  /// Methods whose verdict is worse, as people name them.
  std::vector<std::string> worse() const;
};

/// What changed. A verdict is worse where its word reassures less than before, where a method that
/// was tested no longer is, or where an outcome that reassured (no traces, no over-forgetting, like
/// retrained, utility kept) no longer does. InputError where the audits are not about the same
/// data: other labels, other numbers of examples, or nothing in common that shows the same.
Comparison compare(const report::Results& before, const report::Results& after,
                   const std::string& before_name, const std::string& after_name);

Json comparison_json(const Comparison& comparison);
std::string comparison_text(const Comparison& comparison);

/// One audit of a page that compares several.
struct Named {
  std::string name;
  const report::Results* results = nullptr;
};
/// Summary plots with an arrow from each audit to the next, and what changed in between; one file
/// without scripts.
std::string comparison_page(const std::vector<Named>& audits,
                            const std::vector<Comparison>& comparisons);

}  // namespace vestige::practice

namespace vestige::result {
VESTIGE_NAMES(practice::VerdictQuestion, {practice::VerdictQuestion::under, "under"},
              {practice::VerdictQuestion::over, "over"},
              {practice::VerdictQuestion::equivalent, "equivalent"},
              {practice::VerdictQuestion::utility_loss, "utility_loss"})
}  // namespace vestige::result
