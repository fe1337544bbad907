// ROC curves and what is read off them.
#include "vestige/metrics/stats/roc.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>

#include "vestige/base/error.h"
#include "vestige/metrics/stats/order.h"
#include "vestige/metrics/stats/rank_tests.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

void check(std::span<const double> scores, std::span<const int> labels) {
  require(scores.size() == labels.size(), "{} scores and {} labels: give one label per score",
          scores.size(), labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require(labels[i] == 0 || labels[i] == 1, "label {} at row {} must be 0 or 1", labels[i], i);
  }
}

bool unordered(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

}  // namespace

double auc(std::span<const double> scores, std::span<const int> labels) {
  check(scores, labels);
  std::vector<double> positives, negatives;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    (labels[i] == 1 ? positives : negatives).push_back(scores[i]);
  }
  return auc_of_samples(positives, negatives);
}

double auc_of_samples(std::span<const double> positives, std::span<const double> negatives) {
  if (positives.empty() || negatives.empty()) return kUndefined;
  if (unordered(positives) || unordered(negatives)) return kUndefined;
  std::vector<double> pooled(positives.begin(), positives.end());
  pooled.insert(pooled.end(), negatives.begin(), negatives.end());
  const std::vector<double> ranks = mid_ranks(pooled);
  const auto n = static_cast<double>(positives.size());
  const auto m = static_cast<double>(negatives.size());
  const double rank_sum = std::accumulate(
      ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(positives.size()), 0.0);
  return (rank_sum - n * (n + 1) / 2) / (n * m);
}

Estimate auc_interval(std::span<const double> positives, std::span<const double> negatives,
                      double level) {
  require(level > 0 && level < 1, "confidence level {} is outside (0, 1): 0.95 is usual", level);
  Estimate result{.value = auc_of_samples(positives, negatives)};
  if (std::isnan(result.value)) return result;
  if (result.value == 0 || result.value == 1) {
    const std::size_t pairs = std::min(positives.size(), negatives.size());
    const Estimate exact = clopper_pearson(result.value == 1 ? pairs : 0, pairs, level);
    return {result.value, exact.lower, exact.upper};
  }
  if (positives.size() < 2 || negatives.size() < 2) return result;
  std::vector<double> pooled(positives.begin(), positives.end());
  pooled.insert(pooled.end(), negatives.begin(), negatives.end());
  const std::vector<double> all = mid_ranks(pooled);
  // Rank in the pool minus rank in the own sample counts the other sample's values below (Sun and
  // Xu 2014): the placements whose variances DeLong adds up.
  const auto placements = [&](std::span<const double> own, std::size_t first, std::size_t others) {
    std::vector<double> ranks = mid_ranks(own);
    for (std::size_t i = 0; i < own.size(); ++i) {
      ranks[i] = (all[first + i] - ranks[i]) / static_cast<double>(others);
    }
    return variance(ranks) / static_cast<double>(own.size());
  };
  const double spread = std::sqrt(placements(positives, 0, negatives.size()) +
                                  placements(negatives, positives.size(), positives.size()));
  const double half = spread * boost::math::quantile(boost::math::normal(), (1 + level) / 2);
  result.lower = std::max(0.0, result.value - half);
  result.upper = std::min(1.0, result.value + half);
  return result;
}

RocCurve roc_curve(std::span<const double> scores, std::span<const int> labels) {
  check(scores, labels);
  const auto positives = static_cast<double>(std::count(labels.begin(), labels.end(), 1));
  const double negatives = static_cast<double>(labels.size()) - positives;
  if (positives == 0 || negatives == 0 || unordered(scores)) return {};
  std::vector<std::size_t> order = ascending_order(scores);
  std::reverse(order.begin(), order.end());
  RocCurve curve{.fpr = {0}, .tpr = {0}};
  double true_positives = 0, false_positives = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    (labels[order[i]] == 1 ? true_positives : false_positives) += 1;
    if (i + 1 < order.size() && scores[order[i + 1]] == scores[order[i]]) continue;
    curve.fpr.push_back(false_positives / negatives);
    curve.tpr.push_back(true_positives / positives);
  }
  return curve;
}

double tpr_at_fpr(const RocCurve& curve, double fpr) {
  require(fpr >= 0 && fpr <= 1, "false positive rate {} is outside [0, 1]", fpr);
  if (curve.fpr.empty()) return kUndefined;
  const auto above = std::upper_bound(curve.fpr.begin(), curve.fpr.end(), fpr);
  if (above == curve.fpr.end()) return curve.tpr.back();
  const auto right = static_cast<std::size_t>(above - curve.fpr.begin());
  const std::size_t left = right - 1;  // fpr[0] = 0 is never above
  const double slope = (curve.tpr[right] - curve.tpr[left]) / (curve.fpr[right] - curve.fpr[left]);
  return curve.tpr[left] + slope * (fpr - curve.fpr[left]);
}

double tpr_below_fpr(const RocCurve& curve, double fpr) {
  require(fpr >= 0 && fpr <= 1, "false positive rate {} is outside [0, 1]", fpr);
  if (curve.fpr.empty()) return kUndefined;
  const auto above = std::upper_bound(curve.fpr.begin(), curve.fpr.end(), fpr);
  if (above == curve.fpr.begin()) return 0;  // nobody called positive
  return curve.tpr[static_cast<std::size_t>(above - curve.fpr.begin()) - 1];
}

double best_balanced_accuracy(const RocCurve& curve) {
  if (curve.fpr.empty()) return kUndefined;
  double best = 0;
  for (std::size_t i = 0; i < curve.fpr.size(); ++i) {
    best = std::max(best, 1 - (curve.fpr[i] + 1 - curve.tpr[i]) / 2);
  }
  return best;
}

}  // namespace vestige::metrics
