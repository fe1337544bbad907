// Results as data: one row per number, with all that is needed to read it without the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/result/names.h"
#include "vestige/result/reason.h"

namespace vestige::metrics {
struct Contrast;  // metrics/stats/contrast.h
}

namespace vestige::result {

inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

enum class Direction { lower, higher, match };
enum class Status { ok, undefined, skipped, unreliable };
/// Models whose answer is known. checkpoint: a model during training, not the answer to anything.
enum class Control { none, retrained, original, constant, graded, checkpoint };

VESTIGE_NAMES(Direction, {Direction::lower, "lower"}, {Direction::higher, "higher"},
              {Direction::match, "match"})
VESTIGE_NAMES(Status, {Status::ok, "ok"}, {Status::undefined, "undefined"},
              {Status::skipped, "skipped"}, {Status::unreliable, "unreliable"})
VESTIGE_NAMES(Control, {Control::none, ""}, {Control::retrained, "retrained"},
              {Control::original, "original"}, {Control::constant, "constant"},
              {Control::graded, "graded"}, {Control::checkpoint, "checkpoint"})

/// Whose number it is: a model, a group of models (no name), or the evidence as a whole.
struct Subject {
  std::string role{};    ///< "unlearned", "retrained", "original", "partial", "checkpoint", ...
  std::string method{};  ///< "finetune", "25", "original.0.5"; empty for roles without methods
  std::string name{};    ///< the model's; empty: all of the group together

  /// "unlearned/finetune/0", "unlearned/finetune", "original/0", "evidence"
  std::string id() const;
  /// The same without the model's name.
  Subject group() const { return {role, method, {}}; }
  bool operator==(const Subject&) const = default;

  static constexpr std::string_view kType = "Subject";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("role", &Subject::role, "role of the model: original, retrained, unlearned, ...");
    visit("method", &Subject::method, "unlearning method; empty for roles without methods");
    visit("name", &Subject::name, "name of the model; empty for all models of the group");
  }
};

/// The inverse of Subject::id, for what was written before subjects were.
Subject parse_subject(std::string_view id);

/// One number of the audit: the fields of results.json, in its order.
struct Row {
  std::string metric;  ///< "epsilon.f_score"
  Subject subject;
  double value = kUndefined;
  double lower = kUndefined;
  double upper = kUndefined;
  Reason interval{};  ///< which kind (reasons/intervals.def); empty without one
  std::size_t n = 0;  ///< examples or models behind the value
  Direction direction = Direction::match;
  double ideal = kUndefined;      ///< NaN: no ideal but the reference
  double reference = kUndefined;  ///< the same metric on retrained; filled in by the audit
  Status status = Status::ok;
  Reasons notes{};
  Control control = Control::none;
  Json settings = Json::object();  ///< how it was measured: rows compare only where these agree
  Json facts = Json::object();     ///< what else is known of it; does not make rows incomparable
  std::uint64_t seed = 0;
  /// Per-example terms whose mean is `value`, where the metric is such a mean (of a group: of its
  /// first model): the audit compares by a paired bootstrap. Not written to results.json.
  std::vector<double> terms{};
  /// One value per model where the row is about a group of models and `value` is their mean. Not
  /// written to results.json.
  std::vector<double> by_model{};
  /// A gap between forget and unseen examples, or a mean over examples and models (utility): what
  /// verdicts compare. Not written to results.json.
  std::shared_ptr<const metrics::Contrast> contrast{};

  static constexpr std::string_view kType = "Row";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("metric", &Row::metric, "id of the metric");
    visit("subject", &Row::subject, "the model or group of models");
    visit("value", &Row::value, "the measured value; null where undefined");
    visit("lower", &Row::lower, "lower end of the 95 % interval");
    visit("upper", &Row::upper, "upper end of the 95 % interval");
    visit("interval", &Row::interval, "kind of the interval; null without one");
    visit("n", &Row::n, "number of examples or models behind the value");
    visit("direction", &Row::direction,
          "which way is good: lower, higher or match (the reference)");
    visit("ideal", &Row::ideal, "the ideal value; null where only the reference says");
    visit("reference", &Row::reference, "the same metric on the retrained models");
    visit("status", &Row::status, "ok, undefined, skipped or unreliable");
    visit("notes", &Row::notes, "what to know about this number");
    visit("control", &Row::control, "which control the subject is; empty for a method");
    visit("settings", &Row::settings, "how it was measured; rows compare only where these agree");
    visit("facts", &Row::facts, "further facts about the number");
    visit("seed", &Row::seed, "root seed of its random draws");
  }
};

/// Points of a plot: columns of equal length. docs/reference/results.md lists the kinds.
struct Series {
  std::string kind;    ///< "roc", "sorted", "histogram", "curve"
  std::string metric;  ///< the id, or the beginning of ids, that it belongs to: "iam.online"
  Subject subject;     ///< as in Row
  std::string group;   ///< whose points: "forget", "calibration", "retrained"; may be empty
  Json params = Json::object();
  std::vector<std::pair<std::string, std::vector<double>>> columns;
  Control control = Control::none;  ///< filled in by the audit

  static constexpr std::string_view kType = "Series";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("kind", &Series::kind, "kind of plot: roc, sorted, histogram, curve, ...");
    visit("metric", &Series::metric, "the id, or the beginning of ids, that it belongs to");
    visit("subject", &Series::subject, "the model or group of models");
    visit("group", &Series::group, "whose points these are; may be empty");
    visit("params", &Series::params, "settings of the plot");
    visit("control", &Series::control, "which control the subject is; empty for a method");
    visit("columns", &Series::columns, "columns of equal length, by name");
  }
};

}  // namespace vestige::result
