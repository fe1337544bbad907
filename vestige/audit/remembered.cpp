// Forget rows, worst first.
#include "vestige/audit/remembered.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

namespace vestige::audit {
namespace {

using metrics::Control;
using metrics::SampleColumn;

std::string name_of(const std::map<std::string, std::vector<std::string>>& names,
                    const std::string& split, std::size_t row) {
  const auto found = names.find(split);
  return found == names.end() || row >= found->second.size() ? "" : found->second[row];
}

bool is_shown(const SampleColumn& column) {
  const bool compared = column.control == Control::none || column.control == Control::original ||
                        column.control == Control::retrained;
  return column.worst != 0 && column.first && compared && !column.values.empty();
}

/// The same score of the first retrained model, nullptr without: "iam.online.finetune.1" and
/// "iam.online.retrained"; of several beginnings that fit the longest.
const SampleColumn* retrained_of(const SampleColumn& column,
                                 const std::vector<const SampleColumn*>& all) {
  constexpr std::string_view kName = "retrained";
  const SampleColumn* best = nullptr;
  for (const SampleColumn* other : all) {
    const bool fits =
        other->control == Control::retrained && other->first && other->split == column.split &&
        other->name.ends_with(kName) && other->values.size() == column.values.size() &&
        column.name.starts_with(
            std::string_view(other->name).substr(0, other->name.size() - kName.size()));
    if (fits && (best == nullptr || other->name.size() > best->name.size())) best = other;
  }
  return best;
}

}  // namespace

std::vector<std::size_t> most_remembered_first(const std::vector<const SampleColumn*>& columns,
                                               std::size_t rows) {
  std::vector<double> badness(rows);
  for (const SampleColumn* column : columns) {
    if (column->worst == 0 || column->control != Control::none) continue;
    assert(column->values.size() == rows);
    std::vector<double> keys(rows);
    const SampleColumn* retrained = retrained_of(*column, columns);
    for (std::size_t row = 0; row < rows; ++row) {
      const double from = retrained == nullptr ? 0 : retrained->values[row];
      const double value = (column->values[row] - from) * column->worst;
      keys[row] = std::isnan(value) ? -std::numeric_limits<double>::infinity() : value;
    }
    std::vector<double> sorted = keys;
    std::sort(sorted.begin(), sorted.end());
    for (std::size_t row = 0; row < rows; ++row) {
      const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), keys[row]);
      badness[row] += static_cast<double>((low - sorted.begin()) + (high - sorted.begin())) / 2;
    }
  }
  std::vector<std::size_t> order(rows);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&badness](std::size_t left, std::size_t right) {
    return badness[left] > badness[right];
  });
  return order;
}

RememberedRows remembered_rows(const evidence::Evidence& evidence,
                               const std::vector<SampleColumn>& columns) {
  RememberedRows found;
  std::vector<const SampleColumn*> forget, shown;
  for (const SampleColumn& column : columns) {
    if (column.split != found.split) continue;
    forget.push_back(&column);
    if (!is_shown(column)) continue;
    shown.push_back(&column);
    found.columns.push_back(column.name);
  }
  if (shown.empty()) return found;
  const auto* labels = evidence.find_labels(found.split);
  std::vector<std::size_t> order = most_remembered_first(forget, shown.front()->values.size());
  order.resize(std::min(order.size(), kMostRememberedRows));
  for (const std::size_t row : order) {
    RememberedRow line;
    line.row = row;
    line.id = name_of(evidence.ids, found.split, row);
    line.subject = name_of(evidence.subjects, found.split, row);
    if (labels != nullptr && row < labels->size()) line.label = (*labels)[row];
    for (const SampleColumn* column : shown) line.scores.push_back(column->values[row]);
    found.rows.push_back(std::move(line));
  }
  return found;
}

}  // namespace vestige::audit
