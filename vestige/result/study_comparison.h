// What an experiment says about its methods: ranks, paired tests, agreement of metrics.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "vestige/result/study_controls.h"

namespace vestige::result {

/// Two methods by one metric: badness(left) - badness(right) over the blocks that have both.
struct MethodPair {
  std::string left{};
  std::string right{};
  std::size_t n = 0;  ///< blocks
  double difference = kUndefined;
  double lower = kUndefined;
  double upper = kUndefined;
  double t = kUndefined;
  double p = kUndefined;           ///< two-sided; from 3 blocks on
  double adjusted_p = kUndefined;  ///< after Benjamini-Hochberg over the whole comparison
  double wilcoxon_p = kUndefined;  ///< from 6 blocks on
  double cohen_d = kUndefined;     ///< from 3 blocks on
  std::string better{};  ///< the method with less badness where adjusted_p < 0.05; else empty

  static constexpr std::string_view kType = "MethodPair";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("left", &MethodPair::left, "one method");
    visit("right", &MethodPair::right, "the other");
    visit("n", &MethodPair::n, "blocks that have both");
    visit("difference", &MethodPair::difference, "mean badness of left minus that of right");
    visit("lower", &MethodPair::lower, "lower end of its 95 % interval");
    visit("upper", &MethodPair::upper, "upper end of its 95 % interval");
    visit("t", &MethodPair::t, "statistic of the paired t test");
    visit("p", &MethodPair::p, "its two-sided p");
    visit("adjusted_p", &MethodPair::adjusted_p, "p after Benjamini-Hochberg over all pairs");
    visit("wilcoxon_p", &MethodPair::wilcoxon_p, "p of Wilcoxon's signed-rank test");
    visit("cohen_d", &MethodPair::cohen_d, "mean difference over its standard deviation");
    visit("better", &MethodPair::better, "the better method; empty unless adjusted_p < 0.05");
  }
};

struct MethodRank {
  std::string method{};
  bool control = false;      ///< shown beside, not ranked and not tested
  std::size_t n = 0;         ///< blocks
  Estimate value{};          ///< the metric itself: mean over blocks with t interval
  Estimate badness{};        ///< mean over blocks with t interval
  Estimate rank{};           ///< mean rank over complete blocks with bootstrap interval
  double best = kUndefined;  ///< share of resamples in which it ranks first

  static constexpr std::string_view kType = "MethodRank";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("method", &MethodRank::method, "name of the method, or role of a control");
    visit("control", &MethodRank::control, "a control: not ranked and not tested");
    visit("n", &MethodRank::n, "blocks");
    visit("value", &MethodRank::value, "mean of the metric over blocks");
    visit("badness", &MethodRank::badness, "mean badness over blocks: small is good");
    visit("rank", &MethodRank::rank, "mean rank over complete blocks");
    visit("best", &MethodRank::best, "share of resamples in which it ranks first");
  }
};

struct MetricComparison {
  Measure measure{};
  Direction direction = Direction::match;
  std::vector<std::string> variants{};         ///< whose blocks are compared
  std::vector<std::string> failed_variants{};  ///< left out: the metric's controls failed there
  bool failed = false;  ///< they failed in every variant: values stand here, ranks and pairs do not
  std::size_t blocks = 0;                   ///< complete: every ranked method has a value
  std::size_t left_out = 0;                 ///< blocks that lack a method
  double critical_difference = kUndefined;  ///< of mean ranks (Nemenyi, 0.05)
  std::vector<MethodRank> methods{};        ///< best first; then the controls
  std::vector<MethodPair> pairs{};
  bool stable = false;  ///< 5 blocks and more, and the first is best in 95 % of resamples
  Reasons reasons{};    ///< who is first and how sure that is

  static constexpr std::string_view kType = "MetricComparison";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit(kInline, &MetricComparison::measure, "what was measured");
    visit("direction", &MetricComparison::direction, "which way is good");
    visit("variants", &MetricComparison::variants, "variants that are compared");
    visit("failed_variants", &MetricComparison::failed_variants,
          "variants left out, because the metric failed its controls there");
    visit("controls_failed", &MetricComparison::failed,
          "it failed its controls in every variant: there are values, but no ranks and no pairs");
    visit("blocks", &MetricComparison::blocks, "blocks that have every method");
    visit("left_out", &MetricComparison::left_out, "blocks that lack a method");
    visit("critical_difference", &MetricComparison::critical_difference,
          "Nemenyi's critical difference of mean ranks at 0.05");
    visit("methods", &MetricComparison::methods, "methods, best first, then controls");
    visit("pairs", &MetricComparison::pairs, "paired tests of every two methods");
    visit("stable", &MetricComparison::stable,
          "at least 5 blocks, and the first is best in 95 % of resamples");
    visit("reasons", &MetricComparison::reasons, "who is first, and how sure that is");
  }
};

/// How far two metrics agree about the order of the methods.
struct Agreement {
  Measure left{};
  Measure right{};
  std::size_t methods = 0;
  double tau = kUndefined;  ///< Kendall's tau-b of the mean badness
  double p = kUndefined;

  static constexpr std::string_view kType = "Agreement";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("left", &Agreement::left, "one metric");
    visit("right", &Agreement::right, "the other");
    visit("methods", &Agreement::methods, "methods that both rank");
    visit("tau", &Agreement::tau, "Kendall's tau-b of the mean badness");
    visit("p", &Agreement::p, "its p");
  }
};

struct MethodComparison {
  std::size_t tests = 0;  ///< p-values behind the adjustment
  std::vector<MetricComparison> metrics{};
  std::vector<Agreement> agreement{};  ///< all pairs of metrics

  static constexpr std::string_view kType = "MethodComparison";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("tests", &MethodComparison::tests, "p-values that the adjustment covers");
    visit("metrics", &MethodComparison::metrics, "one entry per measure");
    visit("agreement", &MethodComparison::agreement, "every two metrics: do they agree?");
  }
};

}  // namespace vestige::result
