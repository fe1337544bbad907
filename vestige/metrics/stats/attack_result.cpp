// AUC and low false positive rates of an attack.
#include "vestige/metrics/stats/attack_result.h"

#include <array>
#include <cmath>

#include "vestige/metrics/stats/roc.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr std::array<double, 4> kRates = {0.01, 0.001, 0.0001, 0};

}  // namespace

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
