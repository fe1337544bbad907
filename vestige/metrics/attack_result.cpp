// DeLong intervals and low false positive rates.
#include "vestige/metrics/attack_result.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/metrics/rank_tests.h"
#include "vestige/metrics/roc.h"
#include "vestige/metrics/statistics.h"

namespace vestige::metrics {
namespace {

constexpr std::array<double, 4> kRates = {0.01, 0.001, 0.0001, 0};

/// Share of the other sample that each row beats, ties one half: the placement values of DeLong.
std::vector<double> placements(std::span<const double> pooled_ranks,
                               std::span<const double> own_ranks, std::size_t others) {
  std::vector<double> result(own_ranks.size());
  for (std::size_t row = 0; row < result.size(); ++row) {
    result[row] = (pooled_ranks[row] - own_ranks[row]) / static_cast<double>(others);
  }
  return result;
}

Estimate separated(double value, std::size_t pairs, double level) {
  const Estimate exact = clopper_pearson(value == 1 ? pairs : 0, pairs, level);
  return {value, exact.lower, exact.upper};
}

}  // namespace

Estimate auc_interval(std::span<const double> members, std::span<const double> nonmembers,
                      double level) {
  require(level > 0 && level < 1, "confidence level {} is outside (0, 1): 0.95 is usual", level);
  Estimate result{.value = auc_of_samples(members, nonmembers)};
  if (std::isnan(result.value)) return result;
  if (result.value == 0 || result.value == 1) {
    return separated(result.value, std::min(members.size(), nonmembers.size()), level);
  }
  if (members.size() < 2 || nonmembers.size() < 2) return result;
  std::vector<double> pooled(members.begin(), members.end());
  pooled.insert(pooled.end(), nonmembers.begin(), nonmembers.end());
  const std::vector<double> ranks = mid_ranks(pooled);
  const std::span<const double> all(ranks);
  const std::vector<double> of_members =
      placements(all.first(members.size()), mid_ranks(members), nonmembers.size());
  const std::vector<double> of_nonmembers =
      placements(all.subspan(members.size()), mid_ranks(nonmembers), members.size());
  const double error = std::sqrt(variance(of_members) / static_cast<double>(members.size()) +
                                 variance(of_nonmembers) / static_cast<double>(nonmembers.size()));
  const boost::math::normal standard;
  const double half =
      error * boost::math::quantile(boost::math::complement(standard, (1 - level) / 2));
  result.lower = std::max(0.0, result.value - half);
  result.upper = std::min(1.0, result.value + half);
  return result;
}

AttackResult evaluate_attack(std::span<const double> members, std::span<const double> nonmembers) {
  AttackResult result;
  result.members = members.size();
  result.nonmembers = nonmembers.size();
  result.auc = auc_interval(members, nonmembers);
  std::vector<double> scores(members.begin(), members.end());
  scores.insert(scores.end(), nonmembers.begin(), nonmembers.end());
  std::vector<int> labels(members.size(), 1);
  labels.resize(scores.size(), 0);
  const RocCurve curve = roc_curve(scores, labels);
  for (const double fpr : kRates) {
    LowRate rate{fpr, false, {}};
    const double allowed = fpr * static_cast<double>(nonmembers.size());
    if (!curve.fpr.empty() && (fpr == 0 || allowed >= 1)) {
      rate.resolvable = true;
      const double tpr = tpr_below_fpr(curve, fpr);
      rate.tpr = clopper_pearson(
          static_cast<std::size_t>(std::llround(tpr * static_cast<double>(members.size()))),
          members.size());
      rate.tpr.value = tpr;
    }
    result.rates.push_back(rate);
  }
  return result;
}

}  // namespace vestige::metrics
