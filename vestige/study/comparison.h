// Which method is better: paired tests over blocks, rankings and how stable they are, and where
// metrics disagree about methods.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vestige/metrics/stats/t_tests.h"
#include "vestige/study/controls_table.h"
#include "vestige/study/measure.h"

namespace vestige::study {

struct ComparisonOptions {
  std::vector<std::string> audits{};  ///< empty: the first audit of the rows
  bool every_setting = false;         ///< false: the first setting of each metric
  std::size_t resamples = 2000;       ///< of blocks, for ranks
  std::uint64_t seed = 1;
};

/// Two methods by one metric: badness(left) - badness(right) over the blocks that have both.
struct MethodPair {
  std::string left{};
  std::string right{};
  metrics::PairedT t{};                     ///< two-sided, with the 95 % interval; from 3 blocks on
                                            ///< with p and Cohen's d
  double wilcoxon_p = metrics::kUndefined;  ///< from 6 blocks on
  double adjusted_p =
      metrics::kUndefined;  ///< t.p after Benjamini-Hochberg over the whole comparison
  std::string better{};     ///< the method with less badness where adjusted_p < 0.05; else empty
};

struct MethodRank {
  std::string method{};
  bool control = false;               ///< shown beside, not ranked and not tested
  std::size_t n = 0;                  ///< blocks
  metrics::Estimate badness{};        ///< mean over blocks with t interval
  metrics::Estimate value{};          ///< the metric itself: mean over blocks with t interval
  metrics::Estimate rank{};           ///< mean rank over complete blocks with bootstrap interval
  double best = metrics::kUndefined;  ///< share of resamples in which it ranks first
};

struct MetricComparison {
  Measure measure{};
  std::vector<std::string> arms{};         ///< whose blocks are compared
  std::vector<std::string> failed_arms{};  ///< left out: the metric's controls failed there
  bool failed = false;  ///< they failed in every arm: values stand here, ranks and pairs do not
  metrics::Direction direction = metrics::Direction::match;
  std::size_t blocks = 0;             ///< complete: every ranked method has a value
  std::size_t left_out = 0;           ///< blocks that lack a method
  std::vector<MethodRank> methods{};  ///< best first; then the controls
  std::vector<MethodPair> pairs{};
  double critical_difference = metrics::kUndefined;  ///< of mean ranks (Nemenyi, 0.05)
  bool stable = false;     ///< 5 blocks and more, and the first is best in 95 % of resamples
  std::string sentence{};  ///< who is first and how sure that is, with metric, setting and arms
};

/// How far two metrics agree about the order of the methods.
struct Agreement {
  Measure left{};
  Measure right{};
  std::size_t methods = 0;
  double tau = metrics::kUndefined;  ///< Kendall's tau-b of the mean badness
  double p = metrics::kUndefined;
};

struct MethodComparison {
  std::vector<MetricComparison> metrics{};
  std::vector<Agreement> agreement{};  ///< all pairs of metrics
  std::size_t tests = 0;               ///< p-values behind the adjustment
};

/// Blocks are (arm, split seed, original); of pooled rows (arm, split seed). Values are means over
/// runs and attack seeds within a block, and over arms that measure the same models. Metrics rank
/// nobody in arms in which `controls` say that they failed.
MethodComparison compare_methods(const std::vector<StudyRow>& rows,
                                 const ComparisonOptions& options = {},
                                 const std::vector<ControlRow>& controls = {});

}  // namespace vestige::study
