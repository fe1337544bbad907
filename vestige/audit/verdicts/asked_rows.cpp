// Finding rows for verdicts.
#include "vestige/audit/verdicts/asked_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "vestige/audit/controls.h"
#include "vestige/metrics/family.h"

namespace vestige::audit {
namespace {

bool belongs(const metrics::Row& row, const evidence::Group& group) {
  return row.subject.group() == metrics::subject_of(group);
}

/// Of each model its value in `rows` minus its value in `others`; empty unless every model has
/// both.
std::vector<double> values_beyond(const std::vector<const metrics::Row*>& rows,
                                  const std::vector<const metrics::Row*>& others) {
  std::vector<double> values;
  for (const metrics::Row* row : rows) {
    const auto other = std::find_if(others.begin(), others.end(), [row](const metrics::Row* each) {
      return each->subject == row->subject;
    });
    if (other == others.end()) return {};
    const std::vector<double> one = side_of({row}).values, two = side_of({*other}).values;
    if (one.size() != two.size()) return {};
    for (std::size_t model = 0; model < one.size(); ++model) {
      values.push_back(one[model] - two[model]);
      if (std::isnan(values.back())) return {};
    }
  }
  return values;
}

}  // namespace

bool AskedRows::reliable() const {
  return std::all_of(method.begin(), method.end(), [](const metrics::Row* row) {
    return !std::isnan(row->value) && row->status == metrics::Status::ok;
  });
}

const metrics::Contrast* AskedRows::contrast(const std::vector<const metrics::Row*>& rows) {
  return rows.size() == 1 ? rows.front()->contrast.get() : nullptr;
}

AskedRows ask(const std::vector<metrics::Row>& rows, std::string_view id,
              const evidence::Group& group) {
  using metrics::Control;
  AskedRows asked;
  const metrics::Row* first = nullptr;
  for (const metrics::Row& row : rows) {
    if (row.metric != id || row.control != Control::none || !belongs(row, group)) continue;
    if (row.settings.contains("setup")) continue;
    const bool halves = row.settings.value("halves", false);
    if (first == nullptr || (halves && !first->settings.value("halves", false))) first = &row;
  }
  if (first == nullptr) return asked;
  const std::string wanted = setting(*first);
  for (const metrics::Row& row : rows) {
    if (row.metric != id || setting(row) != wanted) continue;
    if (row.control == Control::none && belongs(row, group)) asked.method.push_back(&row);
    if (std::isnan(row.value)) continue;
    if (row.control == Control::retrained) asked.retrained.push_back(&row);
    if (row.control == Control::original) asked.original.push_back(&row);
  }
  return asked;
}

Side side_of(const std::vector<const metrics::Row*>& rows) {
  Side side;
  for (const metrics::Row* row : rows) {
    // A row of a whole group may bring the values of its models.
    if (row->by_model.empty()) {
      side.values.push_back(row->value);
    } else {
      side.values.insert(side.values.end(), row->by_model.begin(), row->by_model.end());
    }
  }
  if (rows.empty()) return side;
  side.terms = rows.front()->terms;
  side.interval = {rows.front()->value, rows.front()->lower, rows.front()->upper};
  return side;
}

bool subtract_unseen(const std::vector<metrics::Row>& rows, const metrics::MetricInfo& metric,
                     const AskedRows& asked, const Sides& sides) {
  if (!metric.speech || metric.speech->unseen.empty()) return false;
  const std::pair<const std::vector<const metrics::Row*>*, Side*> parts[] = {
      {&asked.method, sides.method},
      {&asked.retrained, sides.retrained},
      {&asked.original, sides.original}};
  std::vector<std::vector<double>> beyond;
  for (const auto& [seen, side] : parts) {
    std::vector<const metrics::Row*> unseen;
    for (const metrics::Row& row : rows) {
      if (row.metric == metric.speech->unseen && !seen->empty() &&
          row.control == seen->front()->control && setting(row) == setting(*seen->front())) {
        unseen.push_back(&row);
      }
    }
    beyond.push_back(values_beyond(*seen, unseen));
    if (beyond.back().empty()) return false;
  }
  for (std::size_t part = 0; part < beyond.size(); ++part) {
    parts[part].second->values = std::move(beyond[part]);
  }
  return true;
}

}  // namespace vestige::audit
