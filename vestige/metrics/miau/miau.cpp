// MIAU's arithmetic: eq. 1 to 3, the reliability rule and the graded retrains.
#include "vestige/metrics/miau/miau.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/metrics/stats/t_tests.h"

namespace vestige::metrics {

std::string_view name(PairTask task) {
  switch (task) {
    case PairTask::forget_retain:
      return "forget_retain";
    case PairTask::forget_test:
      return "forget_test";
    case PairTask::retain_test:
      return "retain_test";
    case PairTask::train_test:
      return "train_test";
  }
  return "";
}

void check_miau_options(const MiauOptions& options) {
  require(options.alpha > 0 && std::isfinite(options.alpha), "MIAU: alpha {} must be positive",
          options.alpha);
  double sum = 0;
  for (const double weight : options.weights) {
    require(weight >= 0, "MIAU: weight {} is negative: weights must be >= 0 and sum to 1", weight);
    sum += weight;
  }
  // Written as decimals, three thirds miss 1 by a few units in the last place given.
  require(std::abs(sum - 1) <= 1e-6, "MIAU: weights {}, {} and {} sum to {}: they must sum to 1",
          options.weights[0], options.weights[1], options.weights[2], sum);
}

double gap_closure(double baseline, double retrained, double unlearned) {
  const double gap = std::abs(baseline - retrained);
  if (gap == 0) return 0;
  return (gap - std::abs(unlearned - retrained)) / gap;
}

double matching_score(double closure, double alpha) {
  return 100 / (1 + std::exp(-alpha * (closure - 0.5)));
}

MiauScore miau_score(const std::array<double, 3>& baseline, const std::array<double, 3>& retrained,
                     const std::array<double, 3>& unlearned, const MiauOptions& options) {
  check_miau_options(options);
  MiauScore result{.score = 0};
  for (std::size_t task = 0; task < kScoredTasks; ++task) {
    result.closure[task] = gap_closure(baseline[task], retrained[task], unlearned[task]);
    result.mus[task] = matching_score(result.closure[task], options.alpha);
    result.score += options.weights[task] * result.mus[task];
  }
  return result;
}

double nomus(double test_accuracy, double attack_accuracy, double weight) {
  return weight * test_accuracy + (1 - weight) * (1 - 2 * std::abs(attack_accuracy - 0.5));
}

TaskReliability task_reliability(std::span<const double> baseline,
                                 std::span<const double> retrained) {
  require(baseline.size() == retrained.size(),
          "{} attack accuracies on the original and {} on the retrained model: give one per seed",
          baseline.size(), retrained.size());
  std::vector<double> differences(baseline.size());
  for (std::size_t i = 0; i < baseline.size(); ++i) differences[i] = baseline[i] - retrained[i];
  TaskReliability result{.lower = quantile(differences, 0.025),
                         .upper = quantile(differences, 0.975)};
  result.reliable = result.lower > 0 || result.upper < 0;
  return result;
}

GradedSummary graded_summary(std::vector<GradedLevel> levels) {
  require(levels.size() >= 2, "graded retrains need at least 2 levels, not {}", levels.size());
  std::sort(levels.begin(), levels.end(), [](const GradedLevel& left, const GradedLevel& right) {
    return left.removed < right.removed;
  });
  GradedSummary summary;
  summary.monotone = true;
  for (std::size_t high = 0; high < levels.size(); ++high) {
    summary.removed.push_back(levels[high].removed);
    summary.means.push_back(mean(levels[high].scores));
    if (high > 0 && !(summary.means[high] > summary.means[high - 1])) summary.monotone = false;
    for (std::size_t low = 0; low < high; ++low) {
      const PairedT test = paired_t(levels[high].scores, levels[low].scores);
      summary.tests.push_back({.higher = levels[high].removed,
                               .lower = levels[low].removed,
                               .mean_difference = test.mean_difference,
                               .interval_lower = test.lower,
                               .interval_upper = test.upper,
                               .cohen_d = test.cohen_d,
                               .p = test.p});
    }
  }
  return summary;
}

}  // namespace vestige::metrics
