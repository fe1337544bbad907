// Rows of the epsilon family.
#include "vestige/metrics/epsilon/epsilon_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/metrics/epsilon/epsilon_final.h"
#include "vestige/metrics/epsilon/epsilon_rows.h"
#include "vestige/metrics/epsilon/epsilon_score.h"
#include "vestige/metrics/epsilon/epsilon_series.h"
#include "vestige/metrics/epsilon/epsilon_split.h"
#include "vestige/metrics/inputs/confidence.h"
#include "vestige/metrics/inputs/row_cost.h"
#include "vestige/metrics/option_bounds.h"
#include "vestige/metrics/stats/bootstrap.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr result::Code kRowBootstrap = result::Code::bootstrap_over_forget_models_fixed;

const OptionTable<EpsilonSettings>& epsilon_options() {
  using Settings = EpsilonSettings;
  static const OptionTable<Settings> table =
      OptionTable<Settings>("epsilon")
          .choice(
              "mode", "exact: every cut point; reference: the public scorer's grids",
              [](Settings & s) -> auto& { return s.mode; },
              std::vector<std::pair<std::string, EpsilonMode>>{
                  {"exact", EpsilonMode::exact}, {"reference", EpsilonMode::reference}})
          .text("setup", "Also estimate F over experiments (default: as models and originals pair)",
                [](Settings & s) -> auto& { return s.setup; },
                {"full", "reuse-n-n", "reuse-n-1", "bootstrap"})
          .count(
              "models", "N, models per experiment or, without a setup, in all; 0: all",
              [](Settings & s) -> auto& { return s.size.models; })
          .count(
              "experiments",
              "E, experiments of the setup; 0: as the models allow, 20 for bootstrap",
              [](Settings & s) -> auto& { return s.size.experiments; }, within(0, 10'000))
          .count(
              "evaluation_models",
              "N-eval of the split-KDE form: models that a fitted attack is evaluated on; 0: the "
              "other half",
              [](Settings & s) -> auto& { return s.evaluation_models; })
          .choice(
              "attacks", "Attacks: both, single threshold or double threshold",
              [](Settings & s) -> auto& { return s.epsilon.families; },
              std::vector<std::pair<std::string, AttackFamilies>>{
                  {"both", AttackFamilies::both},
                  {"single", AttackFamilies::single},
                  {"double", AttackFamilies::double_threshold}})
          .choice(
              "aggregation", "How eps of the forget examples becomes F",
              [](Settings & s) -> auto& { return s.points.aggregation; },
              std::vector<std::pair<std::string, Aggregation>>{{"mean", Aggregation::mean},
                                                               {"median", Aggregation::median},
                                                               {"quantile", Aggregation::quantile},
                                                               {"maximum", Aggregation::maximum}})
          .number(
              "quantile", "Which quantile of eps, for the aggregation quantile",
              [](Settings & s) -> auto& { return s.points.quantile; }, between(0, 1))
          .number(
              "bin_width", "Width of the bins of F",
              [](Settings & s) -> auto& { return s.points.bin_width; }, above(0))
          .number(
              "delta", "Delta of (eps, delta)-unlearning",
              [](Settings & s) -> auto& { return s.epsilon.delta; }, between(0, 1))
          .number(
              "cap", "eps of perfectly separated pools",
              [](Settings & s) -> auto& { return s.epsilon.cap; }, above(0));
  return table;
}

std::vector<double> defined_values(std::span<const double> values) {
  std::vector<double> kept;
  std::copy_if(values.begin(), values.end(), std::back_inserter(kept),
               [](double value) { return !std::isnan(value); });
  return kept;
}

BootstrapOptions row_bootstrap(const Request& request) {
  return {.kind = BootstrapKind::percentile, .seed = request.seed, .purpose = "epsilon.rows"};
}

// An aggregate over examples that are drawn again.
Estimate bootstrap_of(const std::vector<double>& kept, const Request& request,
                      const std::function<double(std::span<const double>)>& aggregate) {
  const auto of_drawn = [&](std::span<const std::size_t> rows) {
    std::vector<double> drawn;
    drawn.reserve(rows.size());
    for (const std::size_t index : rows) drawn.push_back(kept[index]);
    return aggregate(drawn);
  };
  return bootstrap(kept.size(), of_drawn, row_bootstrap(request));
}

// F of a score, its interval over examples, and why it is undefined where it is: a code with the
// number of such examples and of all.
void set_forget_score(Row& row, const EpsilonPools& pools, const ForgetScore& score,
                      std::span<const double> epsilons, std::size_t models, Code why_undefined) {
  const Request& request = pools.request;
  const PointsOptions& points = pools.settings.points;
  row.value = score.value;
  // Only a mean is one of terms.
  if (points.aggregation == Aggregation::mean) row.terms = score.points;
  if (!std::isnan(score.value)) {
    set_interval(row,
                 points.aggregation == Aggregation::mean
                     ? bootstrap_mean(defined_values(score.points), row_bootstrap(request))
                     : bootstrap_of(defined_values(epsilons), request,
                                    [&](std::span<const double> drawn) {
                                      return forget_points(aggregate_epsilon(drawn, points), models,
                                                           points.bin_width);
                                    }),
                 kRowBootstrap);
  }
  if (score.undefined == 0) return;
  if (std::isnan(row.value)) {
    row.status = Status::undefined;
    row.notes.push_back(reason(why_undefined, score.undefined, score.points.size()));
  } else {
    row.notes.push_back(reason(Code::examples_without_epsilon, score.undefined));
  }
}

Row forget_score_row(const EpsilonPools& pools, const ForgetQuality& quality) {
  Row row = pools.row("epsilon.f_score", quality.models);
  set_forget_score(row, pools, quality.score, quality.epsilons, quality.models,
                   Code::attacks_discarded);
  const std::size_t ours = pools.candidate.rows(), theirs = pools.retrained.rows();
  if (ours != theirs) row.notes.push_back(reason(Code::model_groups_differ, ours, theirs));
  note_few_models(row, quality.models);
  if (quality.models <= 2 && row.status == Status::ok) row.status = Status::unreliable;
  return row;
}

Row median_row(const EpsilonPools& pools, const ForgetQuality& quality) {
  Row row = pools.row("epsilon.median", quality.models);
  const std::vector<double> kept = defined_values(quality.epsilons);
  row.value = median_epsilon(kept);
  if (kept.empty()) {
    row.status = Status::undefined;
    const std::size_t all = quality.epsilons.size();
    row.notes = {reason(Code::attacks_discarded, all, all)};
    return row;
  }
  set_interval(row, bootstrap_of(kept, pools.request, median_epsilon), kRowBootstrap);
  return row;
}

Row count_row(std::string_view id, const EpsilonPools& pools, const ForgetQuality& quality,
              std::size_t count) {
  Row row = pools.row(id, quality.models);
  row.value = static_cast<double>(count);
  return row;
}

// Cuts are fitted as the mode says. Where epsilon.models asks for N and there are 2 N models, N are
// fitted on and N others evaluated (paper, A.13): then this F and the plain one have the same N.
Row split_row(const EpsilonPools& pools) {
  constexpr std::string_view kId = "epsilon.f_score.split_kde";
  // Two models of each group to fit, two to evaluate.
  if (const std::size_t models = std::min(pools.candidate.rows(), pools.retrained.rows());
      models < 4) {
    Row row = pools.row(kId, models / 2);
    row.status = Status::skipped;
    row.notes = {reason(Code::needs_model_groups, 4, models)};
    return row;
  }
  const SplitScore split =
      split_forget_score(pools.candidate, pools.retrained,
                         {.epsilon = pools.settings.epsilon,
                          .evaluation_models = pools.settings.evaluation_models,
                          .mode = pools.settings.mode,
                          .points = pools.settings.points});
  Row row = pools.row(kId, split.evaluation_models);
  row.facts["fitting_models"] = split.fitting_models;
  row.facts["bandwidth"] = "silverman";
  set_forget_score(row, pools, split.score, split.epsilons, split.evaluation_models,
                   Code::attacks_not_fitted);
  if (split.evaluation_models <= 2) {
    note_few_models(row, split.evaluation_models);
    if (row.status == Status::ok) row.status = Status::unreliable;
  }
  return row;
}

Models first_models(const Models& models, std::size_t most) {
  return {models.begin(),
          models.begin() + static_cast<std::ptrdiff_t>(std::min(models.size(), most))};
}

Reason needs_forget(const std::string& model) {
  return reason(Code::needs_outputs, std::vector<std::string>{"forget"}, model + "/forget.npy");
}

Reason needs_forget_labels() {
  return reason(Code::needs_labels, std::vector<std::string>{"forget"}, "labels/forget.npy");
}

Reason missing_forget(const Models& models) {
  for (const evidence::Model* model : models) {
    if (!model->has("forget")) return needs_forget(model->id());
  }
  return {};
}

// Why nothing can be measured; empty if it can.
Reason obstacle(const Comparison& comparison) {
  if (comparison.evidence->find_labels("forget") == nullptr) return needs_forget_labels();
  if (comparison.retrained.empty()) {
    return reason(Code::needs_retrained_pool, kEnoughEpsilonModels);
  }
  if (comparison.candidate.empty()) return needs_forget("unlearned/METHOD/0");
  Reason missing = missing_forget(comparison.candidate);
  return missing.empty() ? missing_forget(comparison.retrained) : missing;
}

std::size_t forget_models(const evidence::Group& group) {
  return static_cast<std::size_t>(
      std::count_if(group.models.begin(), group.models.end(),
                    [](const evidence::Model& model) { return model.has("forget"); }));
}

Support epsilon_support(const evidence::Evidence& evidence) {
  if (evidence.find_labels("forget") == nullptr) return {false, needs_forget_labels()};
  const evidence::Group* retrained = evidence.find("retrained");
  const std::size_t references = retrained == nullptr ? 0 : forget_models(*retrained);
  if (references == 0) {
    return {false, reason(Code::needs_retrained_pool, kEnoughEpsilonModels)};
  }
  // Methods decide; the original may be a single model where all runs came from it (reuse-n-1).
  const bool methods =
      std::any_of(evidence.groups.begin(), evidence.groups.end(), [](const evidence::Group& group) {
        return group.role == "unlearned" && forget_models(group) > 0;
      });
  std::string smallest_group;
  std::size_t smallest = 0;
  for (const evidence::Group& group : evidence.groups) {
    if (group.role != (methods ? "unlearned" : "original")) continue;
    const std::size_t models = forget_models(group);
    if (models == 0 || (smallest > 0 && models >= smallest)) continue;
    smallest = models;
    smallest_group = group.id();
  }
  if (smallest == 0) return {false, needs_forget("unlearned/METHOD/0")};
  const std::size_t models = std::min(smallest, references);
  if (models >= kEnoughEpsilonModels) return {true, {}};
  const bool retrained_are_fewer = references <= smallest;
  return {models > 2,
          reason(Code::epsilon_group_is_small, retrained_are_fewer ? "retrained" : smallest_group,
                 models, kEnoughEpsilonModels, few_models(models))};
}

Measurements measure_epsilon(const Comparison& comparison, const Request& request, Progress&) {
  const EpsilonSettings settings = epsilon_options().read(request.options);
  Measurements out;
  const Reason missing = obstacle(comparison);
  if (!missing.empty()) {
    Row row = make_row("epsilon.f_score", comparison, request);
    row.status = Status::skipped;
    row.notes = {missing};
    out.rows.push_back(std::move(row));
    return out;
  }
  Comparison limited = comparison;
  if (settings.setup.empty() && settings.size.models > 0) {
    limited.candidate = first_models(comparison.candidate, settings.size.models);
    limited.retrained = first_models(comparison.retrained, settings.size.models);
  }
  const evidence::Evidence& evidence = *comparison.evidence;
  const std::vector<std::int64_t>& labels = *evidence.find_labels("forget");
  const ConfidenceNumerics numerics = settings.mode == EpsilonMode::exact
                                          ? ConfidenceNumerics::exact
                                          : ConfidenceNumerics::reference;
  const auto pools_of = [&](const Comparison& some) {
    return EpsilonPools{
        some, request, settings,
        confidences(request.context, some.candidate, "forget", labels, evidence.kind, numerics),
        confidences(request.context, some.retrained, "forget", labels, evidence.kind, numerics)};
  };
  const EpsilonPools pools = pools_of(limited);
  const ForgetQuality quality = forget_quality(pools.candidate, pools.retrained, settings.mode,
                                               settings.epsilon, settings.points);

  Row forget = forget_score_row(pools, quality);
  forget.facts["above"] = json_number(share_above(pools.candidate, pools.retrained));
  out.rows.push_back(forget);
  out.rows.push_back(median_row(pools, quality));
  out.rows.push_back(count_row("epsilon.undefined", pools, quality, quality.score.undefined));
  out.rows.push_back(count_row("epsilon.perfectly_separated", pools, quality, quality.separated));
  if (comparison.halves) return out;
  out.rows.push_back(final_score_row(pools, forget));
  const std::size_t asked = settings.setup.empty() ? settings.size.models : 0;
  if (asked > 0 &&
      std::min(comparison.candidate.size(), comparison.retrained.size()) >= 2 * asked) {
    Comparison twice = comparison;
    twice.candidate = first_models(comparison.candidate, 2 * asked);
    twice.retrained = first_models(comparison.retrained, 2 * asked);
    out.rows.push_back(split_row(pools_of(twice)));
  } else {
    out.rows.push_back(split_row(pools));
  }
  add_setup_rows(pools, out);
  SampleColumn column;
  column.name = "epsilon." + comparison.short_name;
  column.split = "forget";
  column.values = quality.epsilons;
  column.worst = 1;
  out.columns.push_back(std::move(column));
  add_epsilon_series(pools, quality, out);
  return out;
}

Reason epsilon_impossible(const Planned& planned) {
  if (!planned.asks("epsilon")) return {};
  const std::int64_t retrained = planned.models.at("retrained");
  const std::int64_t unlearned = planned.models.at("unlearned");
  if (std::min(retrained, unlearned) < 3) {
    return reason(Code::planned_model_groups_too_small, "epsilon", retrained, unlearned, 3);
  }
  const std::size_t wanted = epsilon_options().read(planned.options).size.models;
  if (wanted <= static_cast<std::size_t>(retrained)) return {};
  return reason(Code::planned_more_than_retrained, wanted, retrained);
}

/// Measured as docs/performance.md tells.
std::optional<Cost> epsilon_cost(const evidence::Evidence& evidence, const Json&) {
  return row_cost(evidence, compared_roles(), {"forget"}, {.output = 1.5, .row = 20000});
}

}  // namespace

Family epsilon_family() {
  return {
      .name = "epsilon",
      .summary = "how distinguishable unlearned models are from retrained ones, example by example",
      .metrics = epsilon_metrics(),
      .ranges = {{"epsilon", kFromZero}, {"epsilon.f_score", kShare}},
      .support = epsilon_support,
      .prepare = each(measure_epsilon),
      .unit = Unit::pool,
      .options = epsilon_options().options(),
      .sums_columns = true,
      .companions = {"mia_gap"},
      .series = epsilon_series(),
      .impossible = epsilon_impossible,
      .cost = epsilon_cost};
}

}  // namespace vestige::metrics
