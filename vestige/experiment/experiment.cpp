// From a plan to jobs.
#include "vestige/experiment/experiment.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/progress.h"
#include "vestige/experiment/checks.h"
#include "vestige/experiment/groups.h"
#include "vestige/experiment/tune.h"
#include "vestige/train/training.h"

namespace vestige::experiment {
namespace {

/// Labels and roles that findings may name.
std::vector<std::string> subjects(const std::vector<Variant>& variants) {
  std::set<std::string> names = {"constant_predictor", "checkpoint", "membership"};
  for (const Variant& variant : variants) {
    for (const train::ModelPlan& model : variant.models) {
      names.insert(model.role);
      if (!variant.collect.checkpoints) continue;
      for (const double fraction : model.train.checkpoints) {
        names.insert(fmt::format("checkpoint/{}.{:g}", model.role, fraction));
      }
    }
    for (const unlearn::UnlearnPlan& plan : variant.unlearned) names.insert(plan.method.label);
  }
  return {names.begin(), names.end()};
}

std::size_t method_count(const Variant& variant) {
  std::set<std::string> labels;
  for (const unlearn::UnlearnPlan& plan : variant.unlearned) labels.insert(plan.method.label);
  return labels.size();
}

}  // namespace

bool stands_in(const Variant& variant) {
  const Json forget = variant.plan.recipe.table.value("forget", Json::object());
  return !variant.plan.hardest.is_null() && forget.value("kind", "") != "hardest";
}

std::string counted_name(const Variant& variant, const std::string& role,
                         const pool::Identity& identity) {
  if (role == "original" || !stands_in(variant)) return identity.name();
  return fmt::format("{}/{}", identity.name(), variant.plan.folder());
}

Experiment open(ExperimentPlan plan, const std::string& device, Detail detail,
                const Context& context) {
  Experiment experiment;
  experiment.device = device;
  experiment.context = context;
  experiment.checks = study::read_checks(plan.checks, plan.path.string());
  Progress progress(context.progress(), "opening variants", plan.variants.size());
  for (const VariantPlan& variant_plan : plan.variants) {
    check_interrupt();
    Variant variant;
    variant.plan = variant_plan;
    const auto methods = unlearn::chosen_methods(variant_plan.recipe, {});
    variant.collect = collect::read_collect(variant_plan.recipe);
    train::Recipe recipe = variant_plan.recipe;
    if (detail == Detail::outline)
      std::tie(recipe, variant.outline) = outlined(variant_plan.recipe);
    variant.lab = train::open_lab(std::move(recipe), device, context);
    variant.models = train::plan(*variant.lab);
    variant.unlearned = unlearn::plan_unlearning(*variant.lab, variant.models, methods);
    variant.probed = unlearn::plan_probes(*variant.lab, variant.models, variant.unlearned,
                                          unlearn::chosen_probes(variant_plan.recipe, {}));
    experiment.variants.push_back(std::move(variant));
    progress.add();
  }
  study::StudyNames names = study_names(plan);
  names.methods = subjects(experiment.variants);
  study::check_findings(experiment.checks, names);
  experiment.plan = std::move(plan);
  return experiment;
}

std::vector<pool::Job> jobs(const Experiment& experiment, std::shared_ptr<pool::Store> store) {
  std::vector<pool::Job> all;
  std::set<std::string> planned;
  const auto add = [&](std::vector<pool::Job> more) {
    for (pool::Job& job : more) {
      bool fresh = false;
      for (const pool::Identity& model : job.models) fresh |= planned.insert(model.name()).second;
      if (fresh) all.push_back(std::move(job));
    }
  };
  for (const Variant& variant : experiment.variants)
    add(train::training_jobs(variant.lab, variant.models, store));
  for (const Variant& variant : experiment.variants) {
    add(unlearn::unlearning_jobs(variant.lab, variant.models, variant.unlearned, store));
  }
  for (const Variant& variant : experiment.variants)
    add(unlearn::probing_jobs(variant.lab, variant.probed, store));
  return all;
}

namespace {

/// Fewest pairs of blocks with which the exact signed-rank test can go below 5 %: 2 / 2^6 = 0.03.
constexpr std::int64_t kFewestPairs = 6;

/// What comparisons of methods can show with the planned splits and originals, variant by variant.
std::string power_text(const Experiment& experiment) {
  std::map<std::string, std::int64_t> pairs;
  for (const Variant& variant : experiment.variants) {
    const auto counts = model_counts(variant);
    const auto originals = counts.find("original");
    if (originals != counts.end() && !variant.unlearned.empty()) {
      pairs[variant.plan.name] += originals->second;
    }
  }
  std::string text;
  for (const auto& [variant, count] : pairs) {
    if (count >= kFewestPairs) continue;
    text += fmt::format(
        "variant {}: {} split{} or originals to compare methods on: the signed-rank test cannot "
        "show any difference of two methods (its smallest p is {:.2g}); {} are needed\n",
        variant, count, count == 1 ? "" : "s", std::min(1.0, 2 / std::exp2(count)), kFewestPairs);
  }
  return text;
}

}  // namespace

std::string plan_text(const Experiment& experiment, pool::Store& store) {
  const ExperimentPlan& plan = experiment.plan;
  std::string text = fmt::format("{} ({})\n", plan.name, plan.size);
  if (!plan.notes.empty()) text += plan.notes + "\n";
  text += "\n";
  for (const Variant& variant : experiment.variants) {
    const train::Recipe& recipe = variant.plan.recipe;
    text += fmt::format(
        "variant {}, seed {}: {}, {}, {} rows, {} forgotten\n", variant.plan.name,
        variant.plan.split_seed, variant.lab->data.name, recipe.model.at("name").get<std::string>(),
        variant.lab->split.part("train").size(), variant.lab->split.part("forget").size());
    std::string models;
    for (const auto& [role, count] : model_counts(variant)) {
      models += fmt::format("{}{} {}", models.empty() ? "" : ", ", count, role);
    }
    text += fmt::format("  models: {}\n", models);
    if (!variant.unlearned.empty()) {
      text += fmt::format("  unlearning: {} methods, {} runs\n", method_count(variant),
                          all_runs(variant));
    }
    if (!variant.probed.empty()) {
      std::vector<std::string> labels;
      for (const unlearn::ProbeChoice& probe : unlearn::chosen_probes(recipe, {})) {
        labels.push_back(probe.label);
      }
      text +=
          fmt::format("  probes: {}, {} runs\n", fmt::join(labels, ", "), variant.probed.size());
    }
    if (stands_in(variant)) {
      text += "  searching first: the forget rows that are hardest to forget\n";
    }
    if (variant.plan.tune) {
      const TuneSettings settings = read_tune(plan.tune, recipe.path.string());
      text += fmt::format("  tuning first: {} points of the grid, each on {} models\n",
                          tune_list(recipe, settings).points.size(), settings.models);
    }
    for (const AuditPlan& audit : variant.plan.audits) {
      text +=
          fmt::format("  audit {}: {}{}\n", audit.name,
                      audit.metrics.empty() ? "all that the evidence supports"
                                            : fmt::format("{}", fmt::join(audit.metrics, ", ")),
                      audit.attack_seeds > 1 ? fmt::format(", {} seeds", audit.attack_seeds) : "");
    }
  }
  SharedCount counted;
  double trained = 0, runs = 0, present = 0;
  for (const Variant& variant : experiment.variants) {
    for (const PlanGroup& group : role_groups(variant, store)) {
      const double added = counted.add(group.kind, group.count);
      trained += added;
      present += added * group.present;
    }
    for (const PlanGroup& group : method_groups(variant, store)) {
      const double added = counted.add(group.kind, group.count, group.runs);
      runs += added;
      present += added * group.present;
    }
  }
  text +=
      fmt::format("\n{:.0f} models to train and {:.0f} runs of methods; {:.0f} are in {} already\n",
                  trained, runs, present, store.folder().string());
  return text + power_text(experiment);
}

Json plan_json(const Experiment& experiment) {
  Json variants = Json::array();
  for (const Variant& variant : experiment.variants) {
    variants.push_back({{"name", variant.plan.name},
                        {"split_seed", variant.plan.split_seed},
                        {"factors", variant.plan.factors},
                        {"recipe", variant.plan.recipe.table},
                        {"split", variant.lab->split.sha256},
                        {"models", model_counts(variant)},
                        {"methods", method_count(variant)},
                        {"runs", all_runs(variant)}});
  }
  return variants;
}

}  // namespace vestige::experiment
