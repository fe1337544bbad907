// Rows of models put together.
#include "vestige/study/method_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "vestige/audit/controls.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::study {
namespace {

using metrics::Row;
using metrics::Status;

/// What rows of one line have in common.
using LineKey = std::tuple<std::string, std::string, std::string, std::string, std::uint64_t,
                           std::string, std::uint64_t>;

LineKey key_of(const StudyRow& row) {
  return {row.row.metric, audit::setting(row.row), row.row.subject.group().id(),
          row.variant,    row.split_seed,          row.audit,
          row.attack_seed};
}

StudyRow line_of(const std::vector<const StudyRow*>& models) {
  StudyRow line = *models.front();
  Row& row = line.row;
  row.subject = row.subject.group();
  row.notes.clear();
  row.status = Status::ok;
  std::vector<double> values, references;
  for (const StudyRow* model : models) {
    if (!std::isnan(model->row.value)) values.push_back(model->row.value);
    if (!std::isnan(model->row.reference)) references.push_back(model->row.reference);
    if (model->row.status == Status::unreliable && row.status == Status::ok) {
      row.status = Status::unreliable;
      row.notes = model->row.notes;
    }
  }
  const metrics::Estimate estimate = metrics::within(row.metric, metrics::t_interval(values));
  row.value = estimate.value;
  row.lower = estimate.lower;
  row.upper = estimate.upper;
  row.interval = values.size() > 1 ? result::Code::t_over_models : result::Code::none;
  row.n = values.size();
  row.reference = metrics::mean(references);
  row.by_model = std::move(values);
  if (row.n < models.size()) {
    row.notes.push_back(result::reason(result::Code::models_without_value, models.size() - row.n,
                                       models.size(), result::Reasons(models.front()->row.notes)));
  }
  if (row.n == 0) row.status = models.front()->row.status;
  return line;
}

/// The models' rows of each line that has several, by key.
std::map<LineKey, std::vector<const StudyRow*>> models_of(const std::vector<StudyRow>& rows) {
  std::map<LineKey, std::vector<const StudyRow*>> found;
  for (const StudyRow& row : rows) {
    if (!row.row.subject.name.empty()) found[key_of(row)].push_back(&row);
  }
  std::erase_if(found, [](const auto& entry) { return entry.second.size() < 2; });
  return found;
}

std::vector<StudyRow> put_together(const std::vector<StudyRow>& rows, bool others) {
  const auto models = models_of(rows);
  std::vector<StudyRow> lines;
  for (const StudyRow& row : rows) {
    const auto found = row.row.subject.name.empty() ? models.end() : models.find(key_of(row));
    if (found == models.end()) {
      if (others) lines.push_back(row);
    } else if (found->second.front() == &row) {
      lines.push_back(line_of(found->second));
    }
  }
  return lines;
}

}  // namespace

std::vector<StudyRow> method_lines(const std::vector<StudyRow>& rows) {
  return put_together(rows, true);
}

std::vector<StudyRow> lines_over_models(const std::vector<StudyRow>& rows) {
  return put_together(rows, false);
}

metrics::Estimate utility_difference(const std::vector<StudyRow>& rows, std::string_view variant,
                                     metrics::Control control, std::string_view split) {
  std::vector<double> differences;
  metrics::Estimate estimate;
  const auto measured = [&](std::string_view id) {
    return std::any_of(rows.begin(), rows.end(), [&](const StudyRow& line) {
      return line.row.metric == id && line.variant == variant;
    });
  };
  for (const StudyRow& line : method_lines(rows)) {
    const Row& row = line.row;
    const metrics::MetricInfo* info = metrics::find_metric(row.metric);
    if (info == nullptr || info->utility_of != split || line.variant != variant) continue;
    if (metrics::is_replaced(row.metric, measured)) continue;
    if (row.control != control || !std::isfinite(row.value - row.reference)) continue;
    differences.push_back(row.value - row.reference);
    estimate.lower = row.lower - row.reference;
    estimate.upper = row.upper - row.reference;
  }
  estimate.value = metrics::mean(differences);
  if (differences.size() != 1) estimate.lower = estimate.upper = metrics::kUndefined;
  return estimate;
}

}  // namespace vestige::study
