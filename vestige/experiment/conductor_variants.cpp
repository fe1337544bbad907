// What variants need before the experiment is run: options that tuning finds, forget rows that a
// search finds. Both are kept with a key of all that shapes them, so that a second run takes them
// as they are, and so that followers see when the leader is done.
#include <fmt/format.h>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/nesting.h"
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
  for (const Variant& variant : experiment.variants) {
    for (const train::ModelPlan& model : variant.models) models.push_back(model.identity.name());
    for (const unlearn::UnlearnPlan& run : variant.unlearned) models.push_back(run.identity.name());
  }
  const AuditPlan& audit = experiment.variants.front().plan.audits.front();
  const Json what = {{"plan", plan_json(experiment)}, {"models", models},
                     {"metric", settings.metric},     {"goal", metrics::name(settings.goal)},
                     {"measured", audit.metrics},     {"options", audit.options},
                     {"program", program_hash()}};
  const std::string text = what.dump();
  return sha256(std::as_bytes(std::span(text)));
}

}  // namespace

Json Conductor::tune(const VariantPlan& variant, const Json& table, const fs::path& folder) {
  const TuneSettings settings = read_tune(table, variant.recipe.path.string());
  const TuneList list = tune_list(variant.recipe, settings);
  const Experiment experiment = open(tune_plan(variant, settings, list.points), settings_.device,
                                     Detail::whole, crew_.context);
  const std::string key = tune_key(experiment, settings);
  const fs::path file = folder / (variant.folder() + ".json");
  const auto found = [&]() -> Json {
    if (!fs::exists(file)) return nullptr;
    Json kept = parse_json(read_file(file));
    return kept.is_object() && kept.value("key", "") == key ? kept : Json();
  };
  if (Json kept = found(); !kept.is_null()) return kept;
  // A point that fails is an answer, not an error.
  const int before = exit_code_;
  std::vector<VariantAudit> audits = measure_all(experiment, folder / variant.folder());
  exit_code_ = before;
  if (crew_.part == CrewPart::worker) return nullptr;
  if (crew_.part == CrewPart::follower) {
    await([&] { return !found().is_null() || take_lead(false); });
    if (Json kept = found(); !kept.is_null()) return kept;
    // The leader died before it had judged.
    audits = measure_all(experiment, folder / variant.folder());
    exit_code_ = before;
  }
  const TuneResult judged =
      judge_points(list.points, settings, audits, failed_runs(experiment, *store_, audits));
  const Json result = {{"key", key},
                       {"methods", tuned_methods(list.methods, judged.points)},
                       {"text", tune_text(judged, list, settings)},
                       {"controls", judged.controls},
                       {"lost", judged.lost}};
  write_file(file, result.dump(1) + "\n");
  return result;
}

bool Conductor::tune_variants(ExperimentPlan& plan, const fs::path& folder) {
  for (VariantPlan& variant : plan.variants) {
    if (!variant.tune) continue;
    const Json tuned = tune(variant, plan.tune, folder / "tune");
    if (tuned.is_null()) return false;
    if (talks()) {
      fmt::print("tuned for variant {}:\n{}\n", variant.folder(),
                 tuned.at("text").get<std::string>());
      std::fflush(stdout);
    }
    const std::string failed = tuned.at("controls").get<std::string>();
    if (leads() && !failed.empty()) {
      fmt::print(stderr,
                 "vestige: variant {} is not tuned: the criterion failed its controls: {}\n",
                 variant.folder(), failed);
    }
    const fs::path pool = variant.recipe.pool.folder;
    Json table = variant.recipe.table;
    table["methods"] = tuned.at("methods");
    variant.recipe = train::make_recipe(std::move(table), variant.recipe.path);
    variant.recipe.pool.folder = pool;
  }
  return true;
}

bool Conductor::search_variants(ExperimentPlan& plan, const fs::path& folder) {
  for (VariantPlan& variant : plan.variants) {
    if (variant.hardest.is_null()) continue;
    const Search planned = plan_search(variant, settings_.device, crew_.context);
    const fs::path list = folder / (variant.folder() + ".csv");
    const fs::path key = folder / (variant.folder() + ".key");
    const auto known = [&] {
      return fs::exists(list) && fs::exists(key) && read_file(key) == planned.key;
    };
    if (!known()) {
      open_store(variant);
      const int code = work(variant, train::training_jobs(planned.lab, planned.models, store_));
      require(code == 0, "variant {}: its original could not be trained: nothing to search from",
              variant.name);
      if (crew_.part == CrewPart::worker) return false;
      while (!known()) {
        if (leads()) {
          fs::create_directories(folder);
          write_file(list, search(planned, *store_));
          write_file(key, planned.key);
        }
        await([&] { return known() || (!leads() && take_lead(false)); });
      }
    }
    use_list(variant, list.string());
  }
  return true;
}

}  // namespace vestige::experiment
