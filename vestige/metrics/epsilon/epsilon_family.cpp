// Rows of the epsilon family.
#include "vestige/metrics/epsilon/epsilon_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
#include "vestige/metrics/stats/bootstrap.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr const char* kRowBootstrap = "bootstrap 95 % over forget rows, models fixed";

const OptionTable<EpsilonSettings>& epsilon_options() {
  using Settings = EpsilonSettings;
  static const OptionTable<Settings> table =
      OptionTable<Settings>("epsilon")
          .choice(
              "mode", "exact: every cut point; reference: the public scorer's grids",
              [](Settings & s) -> auto& { return s.mode; },
              std::vector<std::pair<std::string, EpsilonMode>>{
                  {"exact", EpsilonMode::exact}, {"reference", EpsilonMode::reference}})
          .text("setup", "Also estimate F over experiments (default: as the pairing shows)",
                [](Settings & s) -> auto& { return s.setup; },
                {"full", "reuse-n-n", "reuse-n-1", "bootstrap"})
          .count(
              "models", "N, models per experiment or, without a setup, in all; 0: all",
              [](Settings & s) -> auto& { return s.size.models; })
          .count(
              "experiments",
              "E, experiments of the setup; 0: as the models allow, 20 for bootstrap",
              [](Settings & s) -> auto& { return s.size.experiments; })
          .count(
              "evaluation_models",
              "N-eval of the split-KDE form: models a fitted attack is judged on; 0: the other "
              "half",
              [](Settings & s) -> auto& { return s.evaluation_models; });
  return table;
}

std::string unequal_pools(std::size_t candidate, std::size_t retrained) {
  if (candidate == retrained) return {};
  return fmt::format("{} models against {} retrained: N = {} counts", candidate, retrained,
                     std::min(candidate, retrained));
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

// F of a score, its interval over rows, and why it is undefined where it is.
void set_forget_score(Row& row, const ForgetScore& score, const Request& request,
                      std::string_view why_undefined) {
  row.value = score.value;
  row.terms = score.points;
  if (!std::isnan(score.value)) {
    set_interval(row, bootstrap_mean(defined_values(score.points), row_bootstrap(request)),
                 kRowBootstrap);
  }
  if (score.undefined == 0) return;
  if (std::isnan(row.value)) {
    row.status = Status::undefined;
    append_note(row.note, fmt::format("{} on {} of {} rows", why_undefined, score.undefined,
                                      score.points.size()));
  } else {
    append_note(row.note, fmt::format("{} rows without eps left out", score.undefined));
  }
}

Row forget_score_row(const EpsilonPools& pools, const ForgetQuality& quality) {
  Row row = pools.row("epsilon.f_score", quality.models);
  set_forget_score(row, quality.score, pools.request, "every attack is discarded");
  append_note(row.note, unequal_pools(pools.candidate.rows(), pools.retrained.rows()));
  append_note(row.note, few_models(quality.models));
  if (quality.models <= 2 && row.status == Status::ok) row.status = Status::unreliable;
  return row;
}

Row median_row(const EpsilonPools& pools, const ForgetQuality& quality) {
  Row row = pools.row("epsilon.median", quality.models);
  const std::vector<double> kept = defined_values(quality.epsilons);
  row.value = median_epsilon(kept);
  if (kept.empty()) {
    row.status = Status::undefined;
    row.note = "every attack is discarded on every row";
    return row;
  }
  const auto median_of = [&kept](std::span<const std::size_t> rows) {
    std::vector<double> drawn;
    drawn.reserve(rows.size());
    for (const std::size_t index : rows) drawn.push_back(kept[index]);
    return median_epsilon(drawn);
  };
  set_interval(row, bootstrap(kept.size(), median_of, row_bootstrap(pools.request)), kRowBootstrap);
  return row;
}

Row count_row(std::string_view id, const EpsilonPools& pools, const ForgetQuality& quality,
              std::size_t count) {
  Row row = pools.row(id, quality.models);
  row.value = static_cast<double>(count);
  return row;
}

Row split_row(const EpsilonPools& pools) {
  constexpr std::string_view kId = "epsilon.f_score.split_kde";
  if (pools.candidate.rows() < 4 || pools.retrained.rows() < 4) {
    Row row = pools.row(kId, std::min(pools.candidate.rows(), pools.retrained.rows()) / 2);
    row.status = Status::skipped;
    row.note = "needs at least 4 models a side: two to fit, two to evaluate";
    return row;
  }
  const SplitScore split = split_forget_score(
      pools.candidate, pools.retrained,
      {.epsilon = pools.settings.epsilon, .evaluation_models = pools.settings.evaluation_models});
  Row row = pools.row(kId, split.evaluation_models);
  row.settings["mode"] = "exact";
  row.facts["fitting_models"] = split.fitting_models;
  row.facts["bandwidth"] = "silverman";
  set_forget_score(row, split.score, pools.request,
                   "no attack can be fitted, or exactly one smoothed rate is 0, as for constant "
                   "outputs,");
  if (split.evaluation_models <= 2) {
    append_note(row.note, few_models(split.evaluation_models));
    if (row.status == Status::ok) row.status = Status::unreliable;
  }
  return row;
}

Models first_models(const Models& models, std::size_t most) {
  return {models.begin(),
          models.begin() + static_cast<std::ptrdiff_t>(std::min(models.size(), most))};
}

std::string missing_forget(const Models& models) {
  for (const evidence::Model* model : models) {
    if (!model->has("forget")) return fmt::format("add {}/forget.npy", model->id());
  }
  return {};
}

// Why nothing can be measured; empty if it can.
std::string obstacle(const Comparison& comparison) {
  if (comparison.evidence->find_labels("forget") == nullptr) {
    return "no labels of forget: add labels/forget.npy";
  }
  if (comparison.retrained.empty()) {
    return "no retrained models to compare with: add retrained/0/forget.npy and more, 64 or more "
           "in "
           "all";
  }
  if (comparison.candidate.empty()) return "no models to compare";
  std::string missing = missing_forget(comparison.candidate);
  return missing.empty() ? missing_forget(comparison.retrained) : missing;
}

std::size_t forget_models(const evidence::Group& group) {
  return static_cast<std::size_t>(
      std::count_if(group.models.begin(), group.models.end(),
                    [](const evidence::Model& model) { return model.has("forget"); }));
}

Support epsilon_support(const evidence::Evidence& evidence) {
  if (evidence.find_labels("forget") == nullptr) {
    return {false, "needs the labels of the forget rows: add labels/forget.npy"};
  }
  const evidence::Group* retrained = evidence.find("retrained");
  const std::size_t references = retrained == nullptr ? 0 : forget_models(*retrained);
  if (references == 0) {
    return {false,
            "needs retrained models: add retrained/0/forget.npy, retrained/1/forget.npy and so on, "
            "64 or more"};
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
  if (smallest == 0) {
    return {false, "needs models to compare: add unlearned/METHOD/0/forget.npy and so on"};
  }
  const std::size_t models = std::min(smallest, references);
  if (models >= kEnoughEpsilonModels) return {true, ""};
  const std::string whose =
      references <= smallest
          ? fmt::format("{} retrained model{}", references, references == 1 ? "" : "s")
          : fmt::format("{} model{} of {}", smallest, smallest == 1 ? "" : "s", smallest_group);
  const std::string seen = models == 1
                               ? "no finite eps can be seen"
                               : fmt::format("no finite eps above ln({})={:.3g} can be seen",
                                             models - 1, std::log(static_cast<double>(models - 1)));
  return {models > 2, fmt::format("{}: {}; give at least {}", whose, seen, kEnoughEpsilonModels)};
}

Measurements measure_epsilon(const Comparison& comparison, const Request& request, Progress&) {
  const EpsilonSettings settings = epsilon_options().read(request.options);
  Measurements out;
  const std::string missing = obstacle(comparison);
  if (!missing.empty()) {
    Row row = make_row("epsilon.f_score", comparison, request);
    row.status = Status::skipped;
    row.note = missing;
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
  const EpsilonPools pools{
      limited, request, settings,
      confidences(limited.candidate, "forget", labels, evidence.kind, numerics),
      confidences(limited.retrained, "forget", labels, evidence.kind, numerics)};
  const ForgetQuality quality =
      forget_quality(pools.candidate, pools.retrained, settings.mode, settings.epsilon);

  Row forget = forget_score_row(pools, quality);
  forget.facts["above"] = json_number(share_above(pools.candidate, pools.retrained));
  out.rows.push_back(forget);
  out.rows.push_back(median_row(pools, quality));
  out.rows.push_back(count_row("epsilon.undefined", pools, quality, quality.score.undefined));
  out.rows.push_back(count_row("epsilon.perfectly_separated", pools, quality, quality.separated));
  if (comparison.halves) return out;
  out.rows.push_back(final_score_row(pools, forget));
  out.rows.push_back(split_row(pools));
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

std::string epsilon_impossible(const Planned& planned) {
  if (!planned.asks("epsilon")) return {};
  const std::int64_t retrained = planned.models.at("retrained");
  const std::int64_t unlearned = planned.models.at("unlearned");
  if (retrained < 3) {
    return fmt::format(
        "F compares pools and {} retrained model{} cannot show a finite epsilon: give [pool] "
        "retrained 3 or more (64 to see something), or leave epsilon out of metrics",
        retrained, retrained == 1 ? "" : "s");
  }
  if (unlearned < 3) {
    return fmt::format(
        "F compares pools, and every method would have {} model{}: give [pool] original 3 or more, "
        "or leave epsilon out of metrics",
        unlearned, unlearned == 1 ? "" : "s");
  }
  const std::size_t wanted = epsilon_options().read(planned.options).size.models;
  if (wanted <= static_cast<std::size_t>(retrained)) return {};
  return fmt::format(
      "epsilon.models asks for N = {} but the pool has {} retrained models: lower it or raise "
      "[pool] retrained",
      wanted, retrained);
}

/// Measured as docs/scale.md tells.
std::optional<Cost> epsilon_cost(const evidence::Evidence& evidence, const Json&) {
  return row_cost(evidence, compared_roles(), {"forget"}, {.output = 1.5, .row = 20000},
                  "confidences and attacks on every row");
}

}  // namespace

Family epsilon_family() {
  return {.name = "epsilon",
          .summary = "how distinguishable unlearned models are from retrained ones, row by row",
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
          .takes_setups = true,
          .cost = epsilon_cost};
}

}  // namespace vestige::metrics
