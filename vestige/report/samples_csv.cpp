// Per-sample scores as RFC 4180 text.
#include "vestige/report/samples_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>

namespace vestige::report {
namespace {

using metrics::SampleColumn;

std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char character : text) {
    quoted += character;
    if (character == '"') quoted += '"';
  }
  return quoted + '"';
}

/// Order of the rows of a split, worst first. Ranks, not values, are averaged: scores of different
/// metrics have different units. Ties keep row order.
std::vector<std::size_t> worst_first(const std::vector<const SampleColumn*>& columns,
                                     std::size_t rows) {
  std::vector<double> badness(rows);
  for (const SampleColumn* column : columns) {
    if (column->worst == 0 || column->control != metrics::Control::none) continue;
    assert(column->values.size() == rows);
    std::vector<double> keys(rows);
    for (std::size_t row = 0; row < rows; ++row) {
      const double value = column->values[row] * column->worst;
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

std::string name_of(const std::map<std::string, std::vector<std::string>>& names,
                    const std::string& split, std::size_t row) {
  const auto found = names.find(split);
  return found == names.end() || row >= found->second.size() ? "" : field(found->second[row]);
}

std::string value_of(const SampleColumn& column, std::size_t row) {
  if (!column.texts.empty()) return field(column.texts[row]);
  const double value = column.values[row];
  return std::isnan(value) ? "" : fmt::format("{}", value);
}

}  // namespace

std::string samples_csv(const evidence::Evidence& evidence,
                        const std::vector<SampleColumn>& columns) {
  std::string text = "split,row,id,subject,label";
  // A score of several splits is one column.
  std::vector<std::string> names;
  for (const SampleColumn& column : columns) {
    if (std::find(names.begin(), names.end(), column.name) != names.end()) continue;
    names.push_back(column.name);
    text += "," + field(column.name);
  }
  text += "\n";
  std::vector<std::string> splits;
  for (const SampleColumn& column : columns) {
    if (std::find(splits.begin(), splits.end(), column.split) == splits.end()) {
      splits.push_back(column.split);
    }
  }
  std::stable_partition(splits.begin(), splits.end(),
                        [](const std::string& split) { return split == "forget"; });
  for (const std::string& split : splits) {
    std::vector<const SampleColumn*> own;
    for (const SampleColumn& column : columns) {
      if (column.split == split) own.push_back(&column);
    }
    std::vector<const SampleColumn*> fields(names.size(), nullptr);
    for (const SampleColumn* column : own) {
      const auto place = std::find(names.begin(), names.end(), column->name) - names.begin();
      fields[static_cast<std::size_t>(place)] = column;
    }
    const std::size_t rows = own[0]->texts.empty() ? own[0]->values.size() : own[0]->texts.size();
    const auto* labels = evidence.find_labels(split);
    for (const std::size_t row : worst_first(own, rows)) {
      text += fmt::format("{},{},{},{},{}", field(split), row, name_of(evidence.ids, split, row),
                          name_of(evidence.subjects, split, row),
                          labels == nullptr ? "" : fmt::format("{}", (*labels)[row]));
      for (const SampleColumn* column : fields) {
        text += "," + (column == nullptr ? "" : value_of(*column, row));
      }
      text += "\n";
    }
  }
  return text;
}

}  // namespace vestige::report
