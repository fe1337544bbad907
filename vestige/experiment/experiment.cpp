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
std::vector<std::string> subjects(const std::vector<Arm>& arms) {
  std::set<std::string> names = {"collapsed", "checkpoint", "membership"};
  for (const Arm& arm : arms) {
    for (const train::ModelPlan& model : arm.models) {
      names.insert(model.role);
      if (!arm.collect.checkpoints) continue;
      for (const double fraction : model.train.checkpoints) {
        names.insert(fmt::format("checkpoint/{}.{:g}", model.role, fraction));
      }
    }
    for (const unlearn::UnlearnPlan& plan : arm.unlearned) names.insert(plan.method.label);
  }
  return {names.begin(), names.end()};
}

std::size_t method_count(const Arm& arm) {
  std::set<std::string> labels;
  for (const unlearn::UnlearnPlan& plan : arm.unlearned) labels.insert(plan.method.label);
  return labels.size();
}

}  // namespace

bool stands_in(const Arm& arm) {
  const Json forget = arm.plan.recipe.table.value("forget", Json::object());
  return !arm.plan.hardest.is_null() && forget.value("kind", "") != "hardest";
}

std::string counted_name(const Arm& arm, const std::string& role, const pool::Identity& identity) {
  if (role == "original" || !stands_in(arm)) return identity.name();
  return fmt::format("{}/{}", identity.name(), arm.plan.folder());
}

Experiment open(ExperimentPlan plan, const std::string& device, Detail detail) {
  Experiment experiment;
  experiment.device = device;
  experiment.checks = study::read_checks(plan.checks, plan.path.string());
  Progress progress("opening arms", plan.arms.size());
  for (const ArmPlan& arm_plan : plan.arms) {
    check_interrupt();
    Arm arm;
    arm.plan = arm_plan;
    const auto methods = unlearn::chosen_methods(arm_plan.recipe, {});
    arm.collect = collect::read_collect(arm_plan.recipe);
    train::Recipe recipe = arm_plan.recipe;
    if (detail == Detail::outline) std::tie(recipe, arm.outline) = outlined(arm_plan.recipe);
    arm.lab = train::open_lab(std::move(recipe), device);
    arm.models = train::plan(*arm.lab);
    arm.unlearned = unlearn::plan_unlearning(*arm.lab, arm.models, methods);
    arm.probed = unlearn::plan_probes(*arm.lab, arm.models, arm.unlearned,
                                      unlearn::chosen_probes(arm_plan.recipe, {}));
    experiment.arms.push_back(std::move(arm));
    progress.add();
  }
  study::StudyNames names = study_names(plan);
  names.methods = subjects(experiment.arms);
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
  for (const Arm& arm : experiment.arms) add(train::training_jobs(arm.lab, arm.models, store));
  for (const Arm& arm : experiment.arms) {
    add(unlearn::unlearning_jobs(arm.lab, arm.models, arm.unlearned, store));
  }
  for (const Arm& arm : experiment.arms) add(unlearn::probing_jobs(arm.lab, arm.probed, store));
  return all;
}

namespace {

/// Fewest pairs of blocks with which the exact signed-rank test can go below 5 %: 2 / 2^6 = 0.03.
constexpr std::int64_t kFewestPairs = 6;

/// What comparisons of methods can show with the planned splits and originals, arm by arm.
std::string power_text(const Experiment& experiment) {
  std::map<std::string, std::int64_t> pairs;
  for (const Arm& arm : experiment.arms) {
    const auto counts = model_counts(arm);
    const auto originals = counts.find("original");
    if (originals != counts.end() && !arm.unlearned.empty()) {
      pairs[arm.plan.name] += originals->second;
    }
  }
  std::string text;
  for (const auto& [arm, count] : pairs) {
    if (count >= kFewestPairs) continue;
    text += fmt::format(
        "arm {}: {} split{} or originals to compare methods on: the signed-rank test cannot show "
        "any difference of two methods (its smallest p is {:.2g}); {} are needed\n",
        arm, count, count == 1 ? "" : "s", std::min(1.0, 2 / std::exp2(count)), kFewestPairs);
  }
  return text;
}

}  // namespace

std::string plan_text(const Experiment& experiment, pool::Store& store) {
  const ExperimentPlan& plan = experiment.plan;
  std::string text = fmt::format("{} ({})\n", plan.name, plan.size);
  if (!plan.notes.empty()) text += plan.notes + "\n";
  text += "\n";
  for (const Arm& arm : experiment.arms) {
    const train::Recipe& recipe = arm.plan.recipe;
    text += fmt::format("arm {}, seed {}: {}, {}, {} rows, {} forgotten\n", arm.plan.name,
                        arm.plan.split_seed, arm.lab->data.name,
                        recipe.model.at("name").get<std::string>(),
                        arm.lab->split.part("train").size(), arm.lab->split.part("forget").size());
    std::string models;
    for (const auto& [role, count] : model_counts(arm)) {
      models += fmt::format("{}{} {}", models.empty() ? "" : ", ", count, role);
    }
    text += fmt::format("  models: {}\n", models);
    if (!arm.unlearned.empty()) {
      text += fmt::format("  unlearning: {} methods, {} runs\n", method_count(arm), all_runs(arm));
    }
    if (!arm.probed.empty()) {
      std::vector<std::string> labels;
      for (const unlearn::ProbeChoice& probe : unlearn::chosen_probes(recipe, {})) {
        labels.push_back(probe.label);
      }
      text += fmt::format("  probes: {}, {} runs\n", fmt::join(labels, ", "), arm.probed.size());
    }
    if (stands_in(arm)) {
      text += "  searching first: the forget rows that are hardest to forget\n";
    }
    if (arm.plan.tune) {
      const TuneSettings settings = read_tune(plan.tune, recipe.path.string());
      text += fmt::format("  tuning first: {} points of the grid, each on {} models\n",
                          tune_list(recipe, settings).points.size(), settings.models);
    }
    for (const AuditPlan& audit : arm.plan.audits) {
      text +=
          fmt::format("  audit {}: {}{}\n", audit.name,
                      audit.metrics.empty() ? "all that the evidence supports"
                                            : fmt::format("{}", fmt::join(audit.metrics, ", ")),
                      audit.attack_seeds > 1 ? fmt::format(", {} seeds", audit.attack_seeds) : "");
    }
  }
  SharedCount counted;
  double trained = 0, runs = 0, present = 0;
  for (const Arm& arm : experiment.arms) {
    for (const ModelGroup& group : role_groups(arm, store)) {
      const double added = counted.add(group.kind, group.count);
      trained += added;
      present += added * group.present;
    }
    for (const ModelGroup& group : method_groups(arm, store)) {
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
  Json arms = Json::array();
  for (const Arm& arm : experiment.arms) {
    arms.push_back({{"name", arm.plan.name},
                    {"split_seed", arm.plan.split_seed},
                    {"factors", arm.plan.factors},
                    {"recipe", arm.plan.recipe.table},
                    {"split", arm.lab->split.sha256},
                    {"models", model_counts(arm)},
                    {"methods", method_count(arm)},
                    {"runs", all_runs(arm)}});
  }
  return arms;
}

}  // namespace vestige::experiment
