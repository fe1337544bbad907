// Results as data: one row per number, with all that is needed to read it without the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/metrics/estimate.h"
#include "vestige/metrics/packed_texts.h"

namespace vestige::metrics {

struct Contrast;  // metrics/stats/contrast.h

enum class Direction { lower, higher, match };
enum class Status { ok, undefined, skipped, unreliable };
/// checkpoint: a model on the way, not the answer to anything.
enum class Control { none, floor, ceiling, collapsed, graded, checkpoint };

inline constexpr Direction kDirections[] = {Direction::lower, Direction::higher, Direction::match};
inline constexpr Status kStatuses[] = {Status::ok, Status::undefined, Status::skipped,
                                       Status::unreliable};
inline constexpr Control kControls[] = {Control::none,      Control::floor,  Control::ceiling,
                                        Control::collapsed, Control::graded, Control::checkpoint};

std::string_view name(Direction direction);
std::string_view name(Status status);
std::string_view name(Control control);  // "" for none

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
  std::string interval;  ///< "bootstrap 95 %, models fixed"; empty without one
  std::size_t n = 0;     ///< rows or models behind the value
  Direction direction = Direction::match;
  double ideal = kUndefined;      ///< NaN: no ideal but the reference
  double reference = kUndefined;  ///< the same metric on retrained; filled in by the audit
  Status status = Status::ok;
  std::string note;
  Control control = Control::none;
  Json settings = Json::object();  ///< how it was measured: rows compare only where these agree
  Json facts = Json::object();     ///< what else is known of it; does not make rows incomparable
  std::uint64_t seed = 0;
  /// Per-row terms whose mean is `value`, where the metric is such a mean (of a group: of its first
  /// model): the audit compares by a paired bootstrap. Not written to results.json.
  std::vector<double> terms{};
  /// One value per model where the row is about a group of models and `value` is their mean. Not
  /// written to results.json.
  std::vector<double> by_model{};
  /// A gap between forget rows and rows that nobody saw, or a mean over rows and models (utility):
  /// what verdicts compare. Not written to results.json.
  std::shared_ptr<const Contrast> contrast{};
};

/// One column of samples.csv: a score for each row of a split.
struct SampleColumn {
  std::string name;            ///< "epsilon.finetune"
  std::string split;           ///< "forget"
  std::vector<double> values;  ///< NaN is written as an empty field
  PackedTexts texts;           ///< used instead of values if not empty (prediction sets)
  /// Whether rows are sorted by this column, most remembered first: +1 large is bad, -1 small is
  /// bad, 0 not.
  int worst = 0;
  Control control = Control::none;  ///< filled in by the audit
  bool first = true;                ///< of a group's first model; filled in by the audit
};

/// Points of a plot: columns of equal length. docs/results.md lists the kinds and their columns.
struct Series {
  std::string kind;    ///< "roc", "sorted", "histogram", "curve"
  std::string metric;  ///< the id, or the beginning of ids, that it belongs to: "iam.online"
  Subject subject;     ///< as in Row
  std::string group;   ///< whose points: "forget", "calibration", "retrained"; may be empty
  Json params = Json::object();
  std::vector<std::pair<std::string, std::vector<double>>> columns;
  Control control = Control::none;  ///< filled in by the audit
};

/// What a metric family hands back.
struct Measurements {
  std::vector<Row> rows;
  std::vector<SampleColumn> columns;
  std::vector<Series> series;
};

}  // namespace vestige::metrics
