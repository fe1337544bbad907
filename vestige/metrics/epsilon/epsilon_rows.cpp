// Notes, parameters and setups of the epsilon family.
#include "vestige/metrics/epsilon/epsilon_rows.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/metrics/epsilon/epsilon_final.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

// The number of each candidate's original; empty if a candidate has none.
std::vector<std::size_t> origins(const Comparison& comparison) {
  Models originals;
  std::vector<std::size_t> numbers;
  for (const evidence::Model* model : comparison.candidate) {
    const evidence::Model* original = comparison.evidence->original_of(*model);
    if (original == nullptr) return {};
    const auto place = std::find(originals.begin(), originals.end(), original);
    numbers.push_back(static_cast<std::size_t>(place - originals.begin()));
    if (place == originals.end()) originals.push_back(original);
  }
  return numbers;
}

// The setup that the pairing shows: two runs or more of each original. Empty if none.
std::string setup_of_pairing(const Comparison& comparison) {
  if (comparison.control != Control::none) return {};
  const std::vector<std::size_t> origin = origins(comparison);
  if (origin.empty()) return {};
  const std::size_t originals = 1 + *std::max_element(origin.begin(), origin.end());
  std::vector<std::size_t> runs(originals, 0);
  for (const std::size_t original : origin) ++runs[original];
  if (*std::min_element(runs.begin(), runs.end()) < 2) return {};
  if (originals == 1) {
    return runs[0] >= 2 * comparison.retrained.size() ? "reuse-n-1" : std::string();
  }
  return "reuse-n-n";
}

std::vector<ModelGroup> setup_groups(const EpsilonPools& pools, EpsilonSetup setup) {
  const std::size_t unlearned = pools.candidate.rows();
  const std::size_t retrained = pools.retrained.rows();
  switch (setup) {
    case EpsilonSetup::full:
      return full_groups(unlearned, retrained, pools.settings.size);
    case EpsilonSetup::reuse_n_n:
      return reuse_n_n_groups(origins(pools.comparison), retrained, pools.settings.size);
    case EpsilonSetup::reuse_n_1:
      return reuse_n_1_groups(origins(pools.comparison), retrained, pools.settings.size);
    case EpsilonSetup::bootstrap:
      return bootstrap_groups(std::min(unlearned, retrained), pools.settings.size,
                              pools.request.seed);
  }
  return {};
}

}  // namespace

Row EpsilonPools::row(std::string_view id, std::size_t models) const {
  Row made = make_row(id, comparison, request);
  made.n = candidate.cols();
  made.settings["mode"] = settings.mode == EpsilonMode::exact ? "exact" : "reference";
  made.settings["models"] = models;
  made.facts["delta"] = settings.epsilon.delta;
  made.facts["cap"] = settings.epsilon.cap;
  // Named where they are not the competition's, so that such values are compared with their like.
  if (settings.points.aggregation != Aggregation::mean) {
    made.settings["aggregation"] = name(settings.points.aggregation);
  }
  if (settings.points.aggregation == Aggregation::quantile) {
    made.settings["quantile"] = settings.points.quantile;
  }
  if (settings.points.bin_width != 0.5) made.settings["bin_width"] = settings.points.bin_width;
  if (settings.epsilon.families != AttackFamilies::both) {
    made.settings["attacks"] =
        settings.epsilon.families == AttackFamilies::single ? "single" : "double";
  }
  const EpsilonOptions standard;
  if (settings.epsilon.delta != standard.delta) made.settings["delta"] = settings.epsilon.delta;
  if (settings.epsilon.cap != standard.cap) made.settings["cap"] = settings.epsilon.cap;
  made.settings["halves"] = comparison.halves;
  return made;
}

Reason few_models(std::size_t models) {
  if (models >= kEnoughEpsilonModels) return {};
  if (models <= 2) return reason(Code::epsilon_needs_models, models);
  return reason(Code::epsilon_is_bounded, models, std::log(static_cast<double>(models - 1)));
}

void note_few_models(Row& row, std::size_t models) {
  if (Reason few = few_models(models); !few.empty()) row.notes.push_back(std::move(few));
}

void set_interval(Row& row, const Estimate& estimate, const Reason& kind) {
  if (std::isnan(estimate.lower) || std::isnan(estimate.upper)) return;
  row.lower = estimate.lower;
  row.upper = estimate.upper;
  row.interval = kind;
}

void add_setup_rows(const EpsilonPools& pools, Measurements& out) {
  const std::string setup =
      pools.settings.setup.empty() ? setup_of_pairing(pools.comparison) : pools.settings.setup;
  if (setup.empty()) return;
  std::vector<ModelGroup> groups;
  try {
    groups = setup_groups(pools, epsilon_setup(setup));
  } catch (const InputError& error) {
    // The other methods may well have what this setup needs; controls need not have it at all.
    if (pools.comparison.control != Control::none) return;
    Row row = pools.row("epsilon.f_score", pools.settings.size.models);
    row.settings["setup"] = setup;
    row.status = Status::skipped;
    row.notes = {reason(Code::message, error.what())};
    out.rows.push_back(std::move(row));
    return;
  }
  const SetupEstimate estimate =
      estimate_setup(pools.candidate, pools.retrained, groups, pools.settings.mode,
                     pools.settings.epsilon, pools.settings.points);
  const std::size_t models = groups.front().unlearned.size();
  const auto add = [&](std::string_view id, const std::vector<double>& estimates,
                       Code why_undefined) {
    Row row = pools.row(id, models);
    row.settings["setup"] = setup;
    row.settings["experiments"] = groups.size();
    if (setup == name(EpsilonSetup::bootstrap)) {
      row.facts["triplets"] = std::min(pools.candidate.rows(), pools.retrained.rows());
    }
    row.n = groups.size();
    const Estimate mean = t_interval(estimates);
    row.value = mean.value;
    row.facts["estimates"] = estimates;
    if (groups.size() == 1) row.notes.push_back(Code::one_experiment);
    set_interval(row, mean, reason(Code::t_over_experiments, groups.size()));
    if (std::isnan(row.value)) {
      row.status = Status::undefined;
      row.notes.push_back(why_undefined);
    }
    note_few_models(row, models);
    if (models <= 2 && row.status == Status::ok) row.status = Status::unreliable;
    out.rows.push_back(std::move(row));
  };
  add("epsilon.f_score", estimate.estimates, Code::experiment_undefined);
  const ModelAccuracies accuracies = model_accuracies(pools);
  if (!accuracies.missing.empty()) return;  // the row of the whole pool says what is missing
  add("epsilon.final_score", final_scores(estimate.estimates, groups, accuracies),
      std::isnan(estimate.mean.value) ? Code::experiment_undefined
                                      : Code::retrained_accuracy_is_zero);
}

}  // namespace vestige::metrics
