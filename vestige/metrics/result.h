// Results as data: one row per number, with all that is needed to read it without the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "vestige/base/json.h"

namespace vestige::metrics {

inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

enum class Direction { lower, higher, match };
enum class Status { ok, undefined, skipped, unreliable };
/// checkpoint: a model on the way, not the answer to anything.
enum class Control { none, floor, ceiling, collapsed, graded, checkpoint };

std::string_view name(Direction direction);
std::string_view name(Status status);
std::string_view name(Control control);  // "" for none

/// A value with its interval; NaN where undefined.
struct Estimate {
  double value = kUndefined;
  double lower = kUndefined;
  double upper = kUndefined;
};

/// One number of the audit: the fields of results.json, in its order.
struct Row {
  std::string metric;  ///< "epsilon.f_score"
  std::string model;   ///< "unlearned/finetune" (pooled) or "unlearned/finetune/0"
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
  Json params = Json::object();
  std::uint64_t seed = 0;
  /// Per-row terms whose mean is `value`, where the metric is such a mean: the audit compares
  /// controls with them by a paired bootstrap. Not written to results.json.
  std::vector<double> terms;
};

/// One column of samples.csv: a score for each row of a split.
struct SampleColumn {
  std::string name;                ///< "epsilon.finetune"
  std::string split;               ///< "forget"
  std::vector<double> values;      ///< NaN is written as an empty field
  std::vector<std::string> texts;  ///< used instead of values if not empty (prediction sets)
  /// Whether rows are sorted by this column, worst first: +1 large is bad, -1 small is bad, 0 not.
  int worst = 0;
  Control control = Control::none;  ///< filled in by the audit
  bool first = true;                ///< of a group's first model; filled in by the audit
};

/// Points of a plot: columns of equal length. docs/results.md lists the kinds and their columns.
struct Series {
  std::string kind;    ///< "roc", "sorted", "histogram", "curve"
  std::string metric;  ///< the id, or the beginning of ids, that it belongs to: "iam.online"
  std::string model;   ///< as in Row
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
