// Means over blocks.
#include "vestige/study/results_table.h"

#include <cmath>

#include "vestige/metrics/family.h"
#include "vestige/metrics/stats/statistics.h"
#include "vestige/study/design_blocks.h"

namespace vestige::study {
namespace {

MethodResult summarise(const MethodColumn& column, const BlockTable& table) {
  MethodResult result{.method = column.method,
                      .control = column.control,
                      .role = column.role,
                      .n = values_of(column).size(),
                      .value = mean_of(column),
                      .interval = interval_of(column),
                      .direction = table.direction};
  double unreliable = 0, count = 0;
  std::vector<double> references;
  for (const BlockCell& cell : column.cells) {
    for (const StudyRow* row : cell.rows) {
      count += 1;
      if (row->row.status == metrics::Status::unreliable) unreliable += 1;
      if (!std::isnan(row->row.reference)) references.push_back(row->row.reference);
    }
  }
  if (count > 0) result.unreliable = unreliable / count;
  result.reference = metrics::mean(references);
  return result;
}

}  // namespace

std::vector<MethodResult> results_table(const std::vector<StudyRow>& rows,
                                        const std::vector<std::string>& wanted,
                                        bool every_setting) {
  std::vector<MethodResult> results;
  const std::vector<double> bad = badness(rows);
  for (const Measure& measure : measures(rows, wanted, every_setting)) {
    for (const std::string& variant : variants(rows)) {
      const BlockTable table = block_table(rows, bad, measure, variant);
      for (const MethodColumn& column : table.columns) {
        MethodResult result = summarise(column, table);
        result.variant = variant;
        result.measure = measure;
        result.value = metrics::within(measure.metric, result.value);
        results.push_back(std::move(result));
      }
    }
  }
  return results;
}

}  // namespace vestige::study
