// Per-sample scores as RFC 4180 text.
#include "vestige/report/tables/samples_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "vestige/audit/remembered.h"
#include "vestige/report/page/escape.h"

namespace vestige::report {
namespace {

using metrics::SampleColumn;

std::string name_of(const std::map<std::string, std::vector<std::string>>& names,
                    const std::string& split, std::size_t row) {
  const auto found = names.find(split);
  return found == names.end() || row >= found->second.size() ? "" : csv_field(found->second[row]);
}

void append_value(const SampleColumn& column, std::size_t row, std::string& text) {
  if (!column.texts.empty()) {
    text += csv_field(column.texts[row]);
    return;
  }
  const double value = column.values[row];
  if (!std::isnan(value)) fmt::format_to(std::back_inserter(text), "{}", value);
}

/// Text is handed on when there is so much of it.
constexpr std::size_t kPiece = std::size_t{1} << 16U;

}  // namespace

std::string samples_csv(const evidence::Evidence& evidence,
                        const std::vector<SampleColumn>& columns) {
  std::string all;
  write_samples_csv(evidence, columns, [&all](std::string_view piece) { all += piece; });
  return all;
}

void write_samples_csv(const evidence::Evidence& evidence, const std::vector<SampleColumn>& columns,
                       const TextSink& sink) {
  std::string text = "split,row,id,subject,label";
  // A score of several splits is one column.
  std::vector<std::string> names;
  for (const SampleColumn& column : columns) {
    if (std::find(names.begin(), names.end(), column.name) != names.end()) continue;
    names.push_back(column.name);
    text += "," + csv_field(column.name);
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
    for (const std::size_t row : audit::most_remembered_first(own, rows)) {
      text += fmt::format("{},{},{},{},{}", csv_field(split), row,
                          name_of(evidence.ids, split, row), name_of(evidence.subjects, split, row),
                          labels == nullptr ? "" : fmt::format("{}", (*labels)[row]));
      for (const SampleColumn* column : fields) {
        text += ",";
        if (column != nullptr) append_value(*column, row, text);
      }
      text += "\n";
      if (text.size() < kPiece) continue;
      sink(text);
      text.clear();
    }
  }
  sink(text);
}

}  // namespace vestige::report
