// Rows of models put together.
#include "vestige/report/method_lines.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <tuple>

#include "vestige/audit/controls.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::report {
namespace {

using metrics::Row;
using metrics::Status;
using study::StudyRow;

/// What rows of one line have in common.
using LineKey = std::tuple<std::string, std::string, std::string, std::string, std::uint64_t,
                           std::string, std::uint64_t>;

LineKey key_of(const StudyRow& row) {
  return {row.row.metric, audit::setting(row.row), row.row.subject.group().id(),
          row.arm,        row.split_seed,          row.audit,
          row.attack_seed};
}

StudyRow line_of(const std::vector<const StudyRow*>& models) {
  StudyRow line = *models.front();
  Row& row = line.row;
  row.subject = row.subject.group();
  row.note.clear();
  row.status = Status::ok;
  std::vector<double> values, references;
  for (const StudyRow* model : models) {
    if (!std::isnan(model->row.value)) values.push_back(model->row.value);
    if (!std::isnan(model->row.reference)) references.push_back(model->row.reference);
    if (model->row.status == Status::unreliable && row.status == Status::ok) {
      row.status = Status::unreliable;
      row.note = model->row.note;
    }
  }
  const metrics::Estimate estimate = metrics::within(row.metric, metrics::t_interval(values));
  row.value = estimate.value;
  row.lower = estimate.lower;
  row.upper = estimate.upper;
  row.interval = values.size() > 1 ? "t 95 % over models" : "";
  row.n = values.size();
  row.reference = metrics::mean(references);
  row.by_model = std::move(values);
  if (row.n < models.size()) {
    const std::string lacking =
        fmt::format("{} of {} models have no value: {}", models.size() - row.n, models.size(),
                    models.front()->row.note);
    row.note += (row.note.empty() ? "" : "; ") + lacking;
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

}  // namespace vestige::report
