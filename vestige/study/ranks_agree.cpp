// Kendall's tau between the orders of methods in two parts of an experiment.
#include "vestige/study/ranks_agree.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/matrix.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/stats/ranking.h"
#include "vestige/metrics/stats/statistics.h"
#include "vestige/study/design_blocks.h"
#include "vestige/study/row_query.h"

namespace vestige::study {
namespace {

constexpr std::size_t kResamples = 2000;
constexpr std::size_t kFewestBlocks = 3;
constexpr std::size_t kFewestMethods = 3;

RowQuery part(const Check& check, std::size_t which) {
  RowQuery query = at_point(check.sides[0].query, check.over, check.at[which]);
  query.method = "*";
  return query;
}

/// The table of blocks and methods of what was selected.
BlockTable table_of(const std::vector<Selected>& selected) {
  if (selected.empty()) return {};
  std::vector<StudyRow> own;
  const Measure measure = measure_of(*selected.front().row);
  for (const Selected& row : selected) own.push_back(*row.row);
  return block_table(own, badness(own), measure);
}

/// Blocks x methods of one part, methods in the given order, blocks that have them all.
Matrix values_in(const BlockTable& table, const std::vector<std::string>& methods) {
  std::vector<const MethodColumn*> columns;
  for (const std::string& method : methods) columns.push_back(table.find(method));
  std::vector<std::size_t> complete;
  for (std::size_t block = 0; block < table.blocks.size(); ++block) {
    if (std::all_of(columns.begin(), columns.end(), [&](const MethodColumn* column) {
          return !std::isnan(column->cells[block].badness);
        })) {
      complete.push_back(block);
    }
  }
  Matrix values(complete.size(), methods.size());
  for (std::size_t row = 0; row < complete.size(); ++row) {
    for (std::size_t item = 0; item < columns.size(); ++item) {
      values(row, item) = columns[item]->cells[complete[row]].badness;
    }
  }
  return values;
}

std::vector<double> column_means(const Matrix& values, const std::vector<std::size_t>& blocks) {
  std::vector<double> means(values.cols());
  for (const std::size_t block : blocks) {
    for (std::size_t item = 0; item < means.size(); ++item) means[item] += values(block, item);
  }
  for (double& value : means) value /= static_cast<double>(blocks.size());
  return means;
}

std::vector<std::size_t> all_blocks(const Matrix& values) {
  std::vector<std::size_t> blocks(values.rows());
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = i;
  return blocks;
}

std::vector<std::size_t> resample(const Matrix& values, Stream& stream) {
  std::vector<std::size_t> blocks(values.rows());
  for (std::size_t& block : blocks) block = stream.below(values.rows());
  return blocks;
}

metrics::Estimate resampled_tau(const Matrix& left, const Matrix& right, double tau,
                                std::uint64_t seed) {
  std::vector<double> replicates(kResamples);
  parallel_for(kResamples, [&](std::size_t index) {
    Stream stream(seed, "ranks agree", index);
    const std::vector<double> x = column_means(left, resample(left, stream));
    const std::vector<double> y = column_means(right, resample(right, stream));
    replicates[index] = metrics::kendall_tau(x, y).tau;
  });
  std::erase_if(replicates, [](double value) { return std::isnan(value); });
  return {tau, metrics::quantile(replicates, 0.025), metrics::quantile(replicates, 0.975)};
}

std::vector<std::string> common_methods(const BlockTable& left, const BlockTable& right) {
  std::vector<std::string> methods;
  for (const MethodColumn& column : left.columns) {
    const MethodColumn* other = right.find(column.method);
    if (column.control || other == nullptr) continue;
    if (!badness_of(column).empty() && !badness_of(*other).empty()) {
      methods.push_back(column.method);
    }
  }
  return methods;
}

CheckOutcome decide(const metrics::Estimate& tau, double p, const Check& check) {
  if (!std::isnan(tau.lower)) {
    if (tau.lower >= check.least) return CheckOutcome::held;
    return tau.upper < check.least ? CheckOutcome::did_not_hold : CheckOutcome::inconclusive;
  }
  if (check.exact)
    return tau.value >= check.least ? CheckOutcome::held : CheckOutcome::did_not_hold;
  return tau.value >= check.least && p < kSignificant ? CheckOutcome::held
                                                      : CheckOutcome::inconclusive;
}

}  // namespace

CheckResult evaluate_agreement(const Check& check, const std::vector<StudyRow>& rows,
                               std::uint64_t seed) {
  const std::vector<RowQuery> parts = {part(check, 0), part(check, 1)};
  const std::vector<std::vector<Selected>> selected = select(rows, parts);
  for (std::size_t which = 0; which < 2; ++which) {
    if (selected[which].empty()) return nothing_measured(parts[which]);
  }
  const BlockTable left_table = table_of(selected[0]);
  const BlockTable right_table = table_of(selected[1]);
  const std::vector<std::string> methods = common_methods(left_table, right_table);
  const Matrix left = values_in(left_table, methods);
  const Matrix right = values_in(right_table, methods);
  if (methods.size() < kFewestMethods || left.rows() == 0 || right.rows() == 0) {
    return {.reasons = {result::reason(result::Code::few_methods_in_both,
                                       left.rows() == 0 || right.rows() == 0 ? 0 : methods.size(),
                                       point_text(check.at[0]), point_text(check.at[1]),
                                       kFewestMethods)}};
  }
  const metrics::Kendall kendall = metrics::kendall_tau(column_means(left, all_blocks(left)),
                                                        column_means(right, all_blocks(right)));
  CheckResult finding{.estimate = {.value = kendall.tau}, .n = methods.size()};
  finding.how = result::Code::kendall_by_permutation;
  if (std::min(left.rows(), right.rows()) >= kFewestBlocks && !std::isnan(kendall.tau)) {
    finding.estimate = resampled_tau(left, right, kendall.tau, seed);
    finding.how = result::reason(result::Code::kendall_by_bootstrap, left.rows(), right.rows());
  }
  finding.outcome = decide(finding.estimate, kendall.p, check);
  const metrics::Estimate& tau = finding.estimate;
  finding.reasons = {result::reason(
      result::Code::orders_agree, tau.value, tau.lower, tau.upper, describe(parts[0], selected[0]),
      describe(parts[1], selected[1]), methods.size(), kendall.p, check.least)};
  return finding;
}

}  // namespace vestige::study
