// Failures that pass from one measure to another.
#include "vestige/study/inherit_controls.h"

#include <algorithm>

#include "vestige/metrics/family.h"

namespace vestige::study {
namespace {

/// The rows of a metric in the same variant and audit as `beside`.
std::vector<const ControlRow*> rows_of(const std::vector<ControlRow>& table,
                                       std::string_view metric, const ControlRow& beside) {
  std::vector<const ControlRow*> found;
  for (const ControlRow& row : table) {
    if (row.measure.metric == metric && row.measure.audit == beside.measure.audit &&
        row.variant == beside.variant) {
      found.push_back(&row);
    }
  }
  return found;
}

/// The first failed row if every row that could be tested failed; else none.
const ControlRow* failed_throughout(const std::vector<const ControlRow*>& rows) {
  const ControlRow* first = nullptr;
  for (const ControlRow* row : rows) {
    if (row->verdict == ControlVerdict::passed) return nullptr;
    if (row->verdict == ControlVerdict::failed && first == nullptr) first = row;
  }
  return first;
}

/// What a part of a metric says about it: the same setting where there is one, else all of them.
const ControlRow* failed_part(const std::vector<ControlRow>& table, std::string_view part,
                              const ControlRow& of) {
  const std::vector<const ControlRow*> rows = rows_of(table, part, of);
  for (const ControlRow* row : rows) {
    if (row->measure.setting != of.measure.setting) continue;
    if (row->verdict == ControlVerdict::failed) return row;
    if (row->verdict == ControlVerdict::passed) return nullptr;
  }
  return failed_throughout(rows);
}

}  // namespace

bool is_derived(const std::string& metric) {
  const metrics::MetricInfo* info = metrics::find_metric(metric);
  return info != nullptr && !info->parts.empty();
}

void inherit_failures(std::vector<ControlRow>& table) {
  const std::vector<ControlRow> before = table;
  for (ControlRow& row : table) {
    // What is worked out from other metrics fails with them, setting by setting (below).
    if (row.verdict != ControlVerdict::not_testable || is_derived(row.measure.metric)) continue;
    const ControlRow* other = failed_throughout(rows_of(before, row.measure.metric, row));
    if (other == nullptr) continue;
    row.verdict = ControlVerdict::failed;
    row.reason =
        result::reason(result::Code::failed_in_other_setting, label(other->measure), other->reason);
  }
  for (ControlRow& row : table) {
    const metrics::MetricInfo* info = metrics::find_metric(row.measure.metric);
    if (info == nullptr || row.verdict == ControlVerdict::failed) continue;
    for (const std::string_view part : info->parts) {
      const ControlRow* failed = failed_part(table, part, row);
      if (failed == nullptr) continue;
      row.verdict = ControlVerdict::failed;
      row.reason = result::reason(result::Code::made_of_failed_metric, label(failed->measure),
                                  failed->reason);
      break;
    }
  }
}

std::map<Measure, FailedVariants> failed_measures(const std::vector<ControlRow>& table) {
  std::map<Measure, FailedVariants> failed;
  for (const ControlRow& row : table) {
    if (row.verdict == ControlVerdict::failed) failed[row.measure][row.variant] = row.reason;
  }
  return failed;
}

void mark_failed(std::vector<StudyRow>& rows, const std::vector<ControlRow>& table) {
  const std::map<Measure, FailedVariants> failed = failed_measures(table);
  for (StudyRow& row : rows) {
    if (row.row.control != metrics::Control::none || row.row.status != metrics::Status::ok) {
      continue;
    }
    const auto measure = failed.find(measure_of(row));
    if (measure == failed.end()) continue;
    const auto variant = measure->second.find(row.variant);
    if (variant == measure->second.end()) continue;
    row.row.status = metrics::Status::unreliable;
    row.row.notes.push_back(
        result::reason(result::Code::failed_controls_in_experiment, variant->second));
  }
}

}  // namespace vestige::study
