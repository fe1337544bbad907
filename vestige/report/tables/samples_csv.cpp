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

SampleTable sample_table(const std::vector<SampleColumn>& columns) {
  SampleTable table;
  std::vector<std::string> splits;
  const auto add_new = [](std::vector<std::string>& known, const std::string& name) {
    if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  };
  for (const SampleColumn& column : columns) {
    add_new(table.names, column.name);
    add_new(splits, column.split);
  }
  std::stable_partition(splits.begin(), splits.end(),
                        [](const std::string& split) { return split == "forget"; });
  for (const std::string& split : splits) {
    std::vector<const SampleColumn*> own;
    for (const SampleColumn& column : columns) {
      if (column.split == split) own.push_back(&column);
    }
    SampleRows& made = table.splits.emplace_back(SampleRows{split, {}, {}});
    made.scores.resize(table.names.size());
    for (const SampleColumn* column : own) {
      const auto place =
          std::find(table.names.begin(), table.names.end(), column->name) - table.names.begin();
      made.scores[static_cast<std::size_t>(place)] = column;
    }
    made.rows = audit::most_remembered_first(
        own, own[0]->texts.empty() ? own[0]->values.size() : own[0]->texts.size());
  }
  return table;
}

std::string samples_csv(const evidence::Evidence& evidence,
                        const std::vector<SampleColumn>& columns) {
  std::string all;
  write_samples_csv(evidence, columns, [&all](std::string_view piece) { all += piece; });
  return all;
}

void write_samples_csv(const evidence::Evidence& evidence, const std::vector<SampleColumn>& columns,
                       const TextSink& sink) {
  const SampleTable table = sample_table(columns);
  std::string text = "split,row,id,subject,label";
  for (const std::string& name : table.names) text += "," + csv_field(name);
  text += "\n";
  for (const auto& [split, rows, scores] : table.splits) {
    const auto* labels = evidence.find_labels(split);
    for (const std::size_t row : rows) {
      text += fmt::format("{},{},{},{},{}", csv_field(split), row,
                          name_of(evidence.ids, split, row), name_of(evidence.subjects, split, row),
                          labels == nullptr ? "" : fmt::format("{}", (*labels)[row]));
      for (const SampleColumn* column : scores) {
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
