// Mean accuracies of groups of models, and what F is multiplied by.
#include "vestige/metrics/epsilon/epsilon_final.h"

#include <algorithm>
#include <cmath>

#include "vestige/metrics/inputs/accuracy.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

double mean_of(const std::vector<double>& values, std::span<const std::size_t> places) {
  double sum = 0;
  for (const std::size_t place : places) sum += values[place];
  return sum / static_cast<double>(places.size());
}

}  // namespace

ModelAccuracies model_accuracies(const EpsilonPools& pools) {
  const Comparison& comparison = pools.comparison;
  ModelAccuracies found;
  const auto read = [&](const Models& models, const std::string& whose, const char* split,
                        std::vector<double>& into) {
    into = accuracies(pools.request.context, *comparison.evidence, models, split);
    const bool known = !into.empty() && std::none_of(into.begin(), into.end(), [](double value) {
      return std::isnan(value);
    });
    if (!known) found.missing.push_back(whose + "/" + split);
  };
  read(comparison.candidate, comparison.subject.id(), "retain", found.unlearned_retain);
  read(comparison.candidate, comparison.subject.id(), "test", found.unlearned_test);
  read(comparison.retrained, "retrained", "retain", found.retrained_retain);
  read(comparison.retrained, "retrained", "test", found.retrained_test);
  return found;
}

Row final_score_row(const EpsilonPools& pools, const Row& forget) {
  Row row =
      pools.row("epsilon.final_score", std::min(pools.candidate.rows(), pools.retrained.rows()));
  const ModelAccuracies models = model_accuracies(pools);
  if (!models.missing.empty()) {
    row.status = Status::skipped;
    row.notes = {reason(Code::needs_accuracies, models.missing)};
    return row;
  }
  const UtilityAccuracies found{.unlearned_retain = mean(models.unlearned_retain),
                                .retrained_retain = mean(models.retrained_retain),
                                .unlearned_test = mean(models.unlearned_test),
                                .retrained_test = mean(models.retrained_test)};
  const double factor = utility_factor(found);
  row.value = final_score(forget.value, found);
  row.facts["retain_ratio"] = json_number(found.unlearned_retain / found.retrained_retain);
  row.facts["test_ratio"] = json_number(found.unlearned_test / found.retrained_test);
  if (std::isnan(row.value)) {
    row.status = Status::undefined;
    row.notes = {
        reason(std::isnan(factor) ? Code::retrained_accuracy_is_zero : Code::f_is_undefined)};
    return row;
  }
  row.terms = forget.terms;
  for (double& term : row.terms) term *= factor;
  set_interval(row, {row.value, forget.lower * factor, forget.upper * factor}, forget.interval);
  return row;
}

std::vector<double> final_scores(std::span<const double> forget, std::span<const ModelGroup> groups,
                                 const ModelAccuracies& accuracies) {
  std::vector<double> scores;
  for (std::size_t experiment = 0; experiment < groups.size(); ++experiment) {
    const ModelGroup& group = groups[experiment];
    scores.push_back(
        final_score(forget[experiment],
                    {.unlearned_retain = mean_of(accuracies.unlearned_retain, group.unlearned),
                     .retrained_retain = mean_of(accuracies.retrained_retain, group.retrained),
                     .unlearned_test = mean_of(accuracies.unlearned_test, group.unlearned),
                     .retrained_test = mean_of(accuracies.retrained_test, group.retrained)}));
  }
  return scores;
}

}  // namespace vestige::metrics
