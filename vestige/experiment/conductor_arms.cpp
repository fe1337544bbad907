// What arms need before the experiment is run: options that tuning finds, forget rows that a search
// finds. Both are kept with a key of all that shapes them, so that a second run takes them as they
// are, and so that followers see when the leader is done.
#include <fmt/format.h>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/sha256.h"
#include "vestige/experiment/conductor.h"
#include "vestige/experiment/failures.h"
#include "vestige/experiment/hardest.h"
#include "vestige/experiment/program.h"
#include "vestige/experiment/tune.h"
#include "vestige/train/training.h"

namespace vestige::experiment {

namespace fs = std::filesystem;

namespace {

/// Everything that shapes what tuning finds: models by what made them, how they are measured and by
/// which program, and what decides.
std::string tune_key(const Experiment& experiment, const TuneSettings& settings) {
  Json models = Json::array();
  for (const Arm& arm : experiment.arms) {
    for (const train::ModelPlan& model : arm.models) models.push_back(model.identity.name());
    for (const unlearn::UnlearnPlan& run : arm.unlearned) models.push_back(run.identity.name());
  }
  const AuditPlan& audit = experiment.arms.front().plan.audits.front();
  const Json what = {{"plan", plan_json(experiment)}, {"models", models},
                     {"metric", settings.metric},     {"goal", metrics::name(settings.goal)},
                     {"measured", audit.metrics},     {"options", audit.options},
                     {"program", program_hash()}};
  const std::string text = what.dump();
  return sha256(std::as_bytes(std::span(text)));
}

}  // namespace

Json Conductor::tune(const ArmPlan& arm, const Json& table, const fs::path& folder) {
  const TuneSettings settings = read_tune(table, arm.recipe.path.string());
  const TuneList list = tune_list(arm.recipe, settings);
  const Experiment experiment = open(tune_plan(arm, settings, list.points), settings_.device);
  const std::string key = tune_key(experiment, settings);
  const fs::path file = folder / (arm.folder() + ".json");
  const auto found = [&]() -> Json {
    if (!fs::exists(file)) return nullptr;
    Json kept = Json::parse(read_file(file), nullptr, false);
    return kept.is_object() && kept.value("key", "") == key ? kept : Json();
  };
  if (Json kept = found(); !kept.is_null()) return kept;
  // A point that fails is an answer, not an error.
  const int before = exit_code_;
  std::vector<ArmAudit> audits = measure_all(experiment, folder / arm.folder());
  exit_code_ = before;
  if (crew_.part == Part::worker) return nullptr;
  if (crew_.part == Part::follower) {
    await([&] { return !found().is_null() || take_lead(false); });
    if (Json kept = found(); !kept.is_null()) return kept;
    // The leader died before it had judged.
    audits = measure_all(experiment, folder / arm.folder());
    exit_code_ = before;
  }
  const TuneResult judged =
      judge_points(list.points, settings, audits, failed_runs(experiment, *store_));
  const Json result = {{"key", key},
                       {"methods", tuned_methods(list.methods, judged.points)},
                       {"text", tune_text(judged, list, settings)},
                       {"controls", judged.controls},
                       {"lost", judged.lost}};
  write_file(file, result.dump(1) + "\n");
  return result;
}

bool Conductor::tune_arms(ExperimentPlan& plan, const fs::path& folder) {
  for (ArmPlan& arm : plan.arms) {
    if (!arm.tune) continue;
    const Json tuned = tune(arm, plan.tune, folder / "tune");
    if (tuned.is_null()) return false;
    if (talks()) {
      fmt::print("tuned for arm {}:\n{}\n", arm.folder(), tuned.at("text").get<std::string>());
      std::fflush(stdout);
    }
    const std::string failed = tuned.at("controls").get<std::string>();
    if (leads() && !failed.empty()) {
      fmt::print(stderr, "vestige: arm {} is not tuned: the criterion failed its controls: {}\n",
                 arm.folder(), failed);
    }
    const fs::path pool = arm.recipe.pool.folder;
    Json table = arm.recipe.table;
    table["methods"] = tuned.at("methods");
    arm.recipe = train::make_recipe(std::move(table), arm.recipe.path);
    arm.recipe.pool.folder = pool;
  }
  return true;
}

bool Conductor::search_arms(ExperimentPlan& plan, const fs::path& folder) {
  for (ArmPlan& arm : plan.arms) {
    if (arm.hardest.is_null()) continue;
    const Search planned = plan_search(arm, settings_.device);
    const fs::path list = folder / (arm.folder() + ".csv");
    const fs::path key = folder / (arm.folder() + ".key");
    const auto known = [&] {
      return fs::exists(list) && fs::exists(key) && read_file(key) == planned.key;
    };
    if (!known()) {
      open_store(arm);
      const int code = work(arm, train::training_jobs(planned.lab, planned.models, store_));
      require(code == 0, "arm {}: its original could not be trained: nothing to search from",
              arm.name);
      if (crew_.part == Part::worker) return false;
      while (!known()) {
        if (leads()) {
          fs::create_directories(folder);
          write_file(list, search(planned, *store_));
          write_file(key, planned.key);
        }
        await([&] { return known() || (!leads() && take_lead(false)); });
      }
    }
    use_list(arm, list.string());
  }
  return true;
}

}  // namespace vestige::experiment
