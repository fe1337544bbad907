// Paired tests, rankings and the disagreement map.
#include "vestige/study/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "vestige/base/matrix.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/stats/multiple_testing.h"
#include "vestige/metrics/stats/ranking.h"
#include "vestige/metrics/stats/signed_rank.h"
#include "vestige/metrics/stats/statistics.h"
#include "vestige/metrics/stats/t_tests.h"
#include "vestige/study/design_blocks.h"
#include "vestige/study/inherit_controls.h"

namespace vestige::study {
namespace {

constexpr std::size_t kFewestForWilcoxon = 6;  // below, no two-sided p can reach 0.05
constexpr std::size_t kFewestForStable = 5;
constexpr std::size_t kFewestForTest = 3;
constexpr double kStable = 0.95;

/// Methods that have a value anywhere, in the order of their first row.
std::vector<const MethodColumn*> ranked_columns(const BlockTable& table) {
  std::vector<const MethodColumn*> columns;
  for (const MethodColumn& column : table.columns) {
    if (!column.control && !badness_of(column).empty()) columns.push_back(&column);
  }
  return columns;
}

MethodPair compare_pair(const MethodColumn& left, const MethodColumn& right,
                        const Measure& measure) {
  std::vector<double> a, b, differences;
  for (std::size_t block = 0; block < left.cells.size(); ++block) {
    const double own = left.cells[block].badness;
    const double other = right.cells[block].badness;
    if (std::isnan(own) || std::isnan(other)) continue;
    a.push_back(own);
    b.push_back(other);
    differences.push_back(own - other);
  }
  const metrics::PairedT test = metrics::paired_t(a, b, metrics::Alternative::two_sided);
  MethodPair pair{.left = left.method,
                  .right = right.method,
                  .n = test.n,
                  .difference = test.mean_difference,
                  .lower = test.lower,
                  .upper = test.upper,
                  .t = test.t};
  if (differences.size() >= kFewestForTest) {
    pair.p = test.p;
    pair.cohen_d = test.cohen_d;
  }
  const metrics::Range range = metrics::range_of(measure.metric);
  const double widest = range.most - range.least;
  if (pair.lower < -widest) pair.lower = -widest;
  if (pair.upper > widest) pair.upper = widest;
  if (differences.size() >= kFewestForWilcoxon) {
    pair.wilcoxon_p = metrics::signed_rank(differences).p;
  }
  return pair;
}

Matrix complete_blocks(const std::vector<const MethodColumn*>& columns, std::size_t blocks) {
  std::vector<std::size_t> complete;
  for (std::size_t block = 0; block < blocks; ++block) {
    const bool whole = std::all_of(columns.begin(), columns.end(), [&](const MethodColumn* column) {
      return !std::isnan(column->cells[block].badness);
    });
    if (whole) complete.push_back(block);
  }
  Matrix values(complete.size(), columns.size());
  for (std::size_t row = 0; row < complete.size(); ++row) {
    for (std::size_t item = 0; item < columns.size(); ++item) {
      values(row, item) = columns[item]->cells[complete[row]].badness;
    }
  }
  return values;
}

/// Blocks in which at least one of the methods was measured.
std::size_t measured_blocks(const std::vector<const MethodColumn*>& columns, std::size_t blocks) {
  std::size_t count = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    if (std::any_of(columns.begin(), columns.end(), [&](const MethodColumn* column) {
          return !std::isnan(column->cells[block].badness);
        })) {
      ++count;
    }
  }
  return count;
}

MethodRank describe(const MethodColumn& column, const Measure& measure,
                    metrics::Direction direction) {
  return {.method = column.method,
          .control = column.control,
          .n = values_of(column).size(),
          .value = metrics::within(measure.metric, mean_of(column)),
          .badness = badness_mean(column, measure, direction)};
}

/// Variants in which a method has a value, in the order of their first row.
std::vector<std::string> variants_with_methods(const std::vector<StudyRow>& rows,
                                               const Measure& measure) {
  std::vector<std::string> found;
  for (const StudyRow& row : rows) {
    if (row.row.metric != measure.metric || std::isnan(row.row.value)) continue;
    if (std::find(found.begin(), found.end(), row.variant) != found.end()) continue;
    if (is_method(row.row.subject) && measure_of(row) == measure) found.push_back(row.variant);
  }
  return found;
}

result::Reason ranking_reason(const MetricComparison& comparison, std::size_t ranked) {
  using result::Code;
  if (ranked < 2) return Code::nothing_to_rank;
  if (comparison.blocks == 0) return Code::no_complete_block;
  const MethodRank& first = comparison.methods[0];
  const MethodRank& second = comparison.methods[1];
  if (comparison.blocks < 2) return result::reason(Code::first_in_only_block, first.method);
  if (comparison.stable || first.best >= kStable) {
    return result::reason(
        comparison.stable ? Code::first_place_stable : Code::first_place_few_blocks, first.method,
        first.best, comparison.blocks);
  }
  return result::reason(Code::first_place_open, first.method, first.best, comparison.blocks,
                        second.method, second.best);
}

/// True if `left` stands before `right`: by mean rank, then by badness where no block is complete.
bool before(const MethodRank& left, const MethodRank& right) {
  if (left.control != right.control) return !left.control;
  if (!left.control && left.rank.value != right.rank.value && !std::isnan(left.rank.value) &&
      !std::isnan(right.rank.value)) {
    return left.rank.value < right.rank.value;
  }
  const bool left_undefined = std::isnan(left.badness.value);
  const bool right_undefined = std::isnan(right.badness.value);
  if (left_undefined != right_undefined) return right_undefined;
  return left.badness.value < right.badness.value;
}

void rank(const BlockTable& table, const ComparisonOptions& options, MetricComparison& result) {
  const std::vector<const MethodColumn*> columns = ranked_columns(table);
  const Matrix values = complete_blocks(columns, table.blocks.size());
  result.blocks = values.rows();
  result.left_out = measured_blocks(columns, table.blocks.size()) - values.rows();
  result.critical_difference = metrics::critical_difference(columns.size(), result.blocks);
  const std::vector<metrics::Ranked> ranked =
      metrics::rank_over_blocks(values, {.resamples = options.resamples, .seed = options.seed});
  for (std::size_t item = 0; item < columns.size(); ++item) {
    MethodRank method = describe(*columns[item], result.measure, table.direction);
    method.rank = ranked[item].rank;
    method.best = ranked[item].best;
    result.methods.push_back(std::move(method));
  }
  for (std::size_t left = 0; left < columns.size(); ++left) {
    for (std::size_t right = left + 1; right < columns.size(); ++right) {
      result.pairs.push_back(compare_pair(*columns[left], *columns[right], result.measure));
    }
  }
}

MetricComparison compare_by(const BlockTable& table, MetricComparison result,
                            const ComparisonOptions& options) {
  result.direction = table.direction;
  const std::size_t ranked = ranked_columns(table).size();
  if (!result.failed) rank(table, options, result);
  for (const MethodColumn& column : table.columns) {
    if (values_of(column).empty() || (!column.control && !result.failed)) continue;
    result.methods.push_back(describe(column, result.measure, table.direction));
  }
  if (result.failed) return result;
  std::stable_sort(result.methods.begin(), result.methods.end(), before);
  result.stable =
      ranked >= 2 && result.blocks >= kFewestForStable && result.methods.front().best >= kStable;
  result.reasons = {ranking_reason(result, ranked)};
  return result;
}

void adjust(MethodComparison& comparison) {
  std::vector<double> p_values;
  for (const MetricComparison& metric : comparison.metrics) {
    for (const MethodPair& pair : metric.pairs) p_values.push_back(pair.p);
  }
  const std::vector<double> adjusted = metrics::benjamini_hochberg(p_values);
  std::size_t place = 0;
  for (MetricComparison& metric : comparison.metrics) {
    for (MethodPair& pair : metric.pairs) {
      pair.adjusted_p = adjusted[place++];
      if (std::isnan(pair.adjusted_p)) continue;
      ++comparison.tests;
      if (pair.adjusted_p < kSignificant) {
        pair.better = pair.difference < 0 ? pair.left : pair.right;
      }
    }
  }
}

Agreement agree(const MetricComparison& left, const MetricComparison& right) {
  std::vector<double> x, y;
  for (const MethodRank& method : left.methods) {
    if (method.control || std::isnan(method.badness.value)) continue;
    for (const MethodRank& other : right.methods) {
      if (other.control || other.method != method.method || std::isnan(other.badness.value)) {
        continue;
      }
      x.push_back(method.badness.value);
      y.push_back(other.badness.value);
    }
  }
  const metrics::Kendall kendall = metrics::kendall_tau(x, y);
  return {left.measure, right.measure, x.size(), kendall.tau, kendall.p};
}

}  // namespace

MethodComparison compare_methods(const std::vector<StudyRow>& rows,
                                 const ComparisonOptions& options,
                                 const std::vector<ControlRow>& controls) {
  MethodComparison result;
  const std::map<Measure, FailedVariants> failed = failed_measures(controls);
  std::vector<std::string> wanted = options.audits;
  if (wanted.empty() && !rows.empty()) wanted = {rows.front().audit};
  const std::vector<double> bad = badness(rows);
  for (const Measure& measure : measures(rows, wanted, options.every_setting)) {
    MetricComparison metric{.measure = measure};
    std::set<std::string> without;
    const auto own = failed.find(measure);
    for (const std::string& variant : variants_with_methods(rows, measure)) {
      const bool fell = own != failed.end() && own->second.contains(variant);
      if (fell) without.insert(variant);
      (fell ? metric.failed_variants : metric.variants).push_back(variant);
    }
    metric.failed = metric.variants.empty() && !metric.failed_variants.empty();
    if (metric.failed) without.clear();
    const BlockTable table = block_table(rows, bad, measure, {}, without);
    if (ranked_columns(table).empty()) continue;
    metric = compare_by(table, std::move(metric), options);
    if (metric.failed) {
      metric.reasons = {result::reason(result::Code::ranks_nobody,
                                       own->second.at(metric.failed_variants.front()))};
    } else if (!metric.failed_variants.empty()) {
      metric.reasons.push_back(
          result::reason(result::Code::variants_left_out, metric.failed_variants));
    }
    result.metrics.push_back(std::move(metric));
  }
  adjust(result);
  for (std::size_t left = 0; left < result.metrics.size(); ++left) {
    for (std::size_t right = left + 1; right < result.metrics.size(); ++right) {
      if (result.metrics[left].failed || result.metrics[right].failed) continue;
      result.agreement.push_back(agree(result.metrics[left], result.metrics[right]));
    }
  }
  return result;
}

}  // namespace vestige::study
