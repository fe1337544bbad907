// Filling the table of blocks and methods.
#include "vestige/study/design_blocks.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "vestige/metrics/family.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::study {

using metrics::Direction;

namespace {

struct Entry {
  const StudyRow* row;
  double badness;
  std::size_t block;
  std::size_t column;
};

double mean_badness(const std::vector<double>& values) {
  std::vector<double> defined;
  for (const double value : values) {
    if (!std::isnan(value)) defined.push_back(value);
  }
  return metrics::mean(defined);
}

}  // namespace

const MethodColumn* BlockTable::find(std::string_view method) const {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const MethodColumn& column) {
    return column.method == method;
  });
  return found == columns.end() ? nullptr : &*found;
}

BlockTable block_table(const std::vector<StudyRow>& rows, const std::vector<double>& badness,
                       const Measure& measure, const std::string& variant,
                       const std::set<std::string>& without) {
  BlockTable table;
  std::map<DesignBlock, std::size_t> blocks;
  std::map<std::string, std::size_t> columns;
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const StudyRow& row = rows[i];
    if (row.row.metric != measure.metric || row.audit != measure.audit) continue;
    if ((!variant.empty() && row.variant != variant) || measure_of(row) != measure) continue;
    if (without.contains(row.variant)) continue;
    const metrics::Subject& subject = row.row.subject;
    const std::string method = method_label(subject);
    const auto [column, new_column] = columns.try_emplace(method, columns.size());
    if (new_column) {
      table.columns.push_back({method, !is_method(subject), row.row.control, {}});
      table.direction = row.row.direction;
    }
    if (std::isnan(row.row.value)) continue;
    const DesignBlock block{row.models.empty() ? row.variant : row.models, row.split_seed,
                            original_of(subject)};
    const auto [place, new_block] = blocks.try_emplace(block, blocks.size());
    if (new_block) table.blocks.push_back(block);
    entries.push_back({&row, badness[i], place->second, column->second});
  }
  for (MethodColumn& column : table.columns) column.cells.resize(table.blocks.size());
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> bad;
  for (const Entry& entry : entries) {
    table.columns[entry.column].cells[entry.block].rows.push_back(entry.row);
    bad[{entry.column, entry.block}].push_back(entry.badness);
  }
  for (const auto& [place, own] : bad) {
    BlockCell& cell = table.columns[place.first].cells[place.second];
    double sum = 0;
    for (const StudyRow* row : cell.rows) sum += row->row.value;
    cell.value = sum / static_cast<double>(cell.rows.size());
    cell.badness = mean_badness(own);
  }
  return table;
}

std::vector<double> values_of(const MethodColumn& column) {
  std::vector<double> values;
  for (const BlockCell& cell : column.cells) {
    if (!std::isnan(cell.value)) values.push_back(cell.value);
  }
  return values;
}

std::vector<double> badness_of(const MethodColumn& column) {
  std::vector<double> values;
  for (const BlockCell& cell : column.cells) {
    if (!std::isnan(cell.badness)) values.push_back(cell.badness);
  }
  return values;
}

metrics::Estimate mean_of(const MethodColumn& column) {
  const std::vector<double> values = values_of(column);
  metrics::Estimate estimate = metrics::t_interval(values);
  if (values.size() != 1) return estimate;
  double lower = 0, upper = 0;
  std::size_t count = 0;
  for (const BlockCell& cell : column.cells) {
    for (const StudyRow* row : cell.rows) {
      lower += row->row.lower;
      upper += row->row.upper;
      ++count;
    }
  }
  estimate.lower = lower / static_cast<double>(count);
  estimate.upper = upper / static_cast<double>(count);
  return estimate;
}

metrics::Estimate badness_mean(const MethodColumn& column, const Measure& measure,
                               Direction direction) {
  metrics::Estimate estimate = metrics::t_interval(badness_of(column));
  const metrics::Range range = metrics::range_of(measure.metric);
  double least = 0, most = range.most - range.least;  // a distance
  if (direction == Direction::lower) {
    least = range.least;
    most = range.most;
  } else if (direction == Direction::higher) {
    least = -range.most;
    most = -range.least;
  }
  if (estimate.lower < least) estimate.lower = least;
  if (estimate.upper > most) estimate.upper = most;
  return estimate;
}

result::Reason interval_of(const MethodColumn& column) {
  const metrics::Estimate estimate = mean_of(column);
  if (std::isnan(estimate.lower) && std::isnan(estimate.upper)) return {};
  if (values_of(column).size() > 1) return result::Code::t_over_blocks;
  for (const BlockCell& cell : column.cells) {
    if (!cell.rows.empty()) return cell.rows.front()->row.interval;
  }
  return {};
}

}  // namespace vestige::study
