// From plans to places in the evidence.
#include "vestige/collect/sources.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "vestige/base/error.h"
#include "vestige/models/kinds.h"

namespace vestige::collect {
namespace {

const std::vector<std::string> kQueries = {"forget", "retain", "test"};

/// "original" at 0.5 is "original.0.5"; "partial/25" has a slash too many for a folder's name.
std::string checkpoint_group(std::string role, double fraction) {
  std::replace(role.begin(), role.end(), '/', '-');
  return fmt::format("{}.{:g}", role, fraction);
}

/// Whose batches never change says who was in which.
void add_batches(const train::ModelPlan& plan, ModelSource& source) {
  if (!plan.train.fixed_batches) return;
  source.rows = plan.rows.list();
  source.fixed_batch = plan.train.batch;
  source.seed = plan.seed;
}

/// A checkpoint is laid over whatever a network begins with.
Json without_weights(Json model) {
  model.erase("weights");
  return model;
}

ModelSource checkpoint(const train::ModelPlan& plan, double fraction) {
  ModelSource source{
      fmt::format("checkpoint/{}/{}", checkpoint_group(plan.role, fraction), plan.index),
      plan.identity.name(), "model.safetensors", without_weights(plan.model)};
  if (fraction < 1) source.file = fmt::format("checkpoint-{:g}.safetensors", fraction);
  add_batches(plan, source);
  return source;
}

void add_trained(const train::ModelPlan& plan, bool checkpoints,
                 std::vector<ModelSource>& sources) {
  const bool graded = plan.role == "graded";
  if (!graded) {
    ModelSource source{plan.identity.label, plan.identity.name(), "model.safetensors",
                       without_weights(plan.model)};
    add_batches(plan, source);
    if (plan.role == "shadow") {
      source.shadow = fmt::format("{}", plan.index);
      source.rows = plan.rows.list();
    }
    if (plan.role == "membership") {
      source.members = {"forget", "retain"};
      source.rows = plan.rows.list();
      source.splits = kQueries;
      source.inner = false;
    }
    if (plan.role.starts_with("partial/")) {
      source.members = {"forget"};
      source.rows = plan.rows.list();
    }
    source.maps = plan.index == 0 && (plan.role == "original" || plan.role == "retrained");
    sources.push_back(std::move(source));
  }
  // Shadows on the way to their own rows say nothing of the others.
  const bool kept = checkpoints && plan.role != "membership" && plan.role != "shadow";
  if (plan.train.epochs == 0 || !(graded || kept)) return;
  std::vector<double> fractions = plan.train.checkpoints;
  if (graded) fractions.push_back(1);
  for (const double fraction : fractions) {
    ModelSource source = checkpoint(plan, fraction);
    if (graded) source.splits = kQueries;
    source.inner = !graded;
    sources.push_back(std::move(source));
  }
}

/// The original that was added last, and where it is kept half-way: which canaries it saw.
void add_canaries(const train::ModelPlan& plan, const std::vector<std::int64_t>& canaries,
                  std::vector<ModelSource>& sources) {
  for (auto source = sources.rbegin(); source != sources.rend(); ++source) {
    if (source->entry != plan.identity.name()) break;
    source->members.emplace_back("canary");
    if (!source->rows.empty()) continue;  // all that it was trained on
    std::set_intersection(canaries.begin(), canaries.end(), plan.rows.begin(), plan.rows.end(),
                          std::back_inserter(source->rows));
  }
}

/// A model of the whole shadow part is every shadow model before it unlearned what it lacks, as in
/// the code published with IAM: shadow/0.original and shadow/0 are a pair.
void add_pairs(const std::vector<train::ModelPlan>& models, std::vector<ModelSource>& sources) {
  const auto whole = std::find_if(models.begin(), models.end(), [](const train::ModelPlan& plan) {
    return plan.role == "shadow_whole";
  });
  if (whole == models.end()) return;
  std::vector<ModelSource> before;
  for (ModelSource& source : sources) {
    if (source.shadow.empty()) continue;
    source.pair = source.shadow;
    std::set_difference(whole->rows.begin(), whole->rows.end(), source.rows.begin(),
                        source.rows.end(), std::back_inserter(source.left_out));
    ModelSource other{source.place + ".original", whole->identity.name(), "model.safetensors",
                      without_weights(whole->model)};
    other.pair = source.pair;
    other.rows = source.rows;
    other.left_out = source.left_out;
    other.inner = false;
    other.only_pair = true;
    before.push_back(std::move(other));
  }
  sources.insert(sources.end(), before.begin(), before.end());
}

/// One evidence model per stage of a probe.
void add_probed(const unlearn::ProbePlan& plan, std::vector<ModelSource>& sources) {
  std::vector<std::int64_t> stages = plan.probe.stages;
  if (stages.empty()) stages.push_back(0);
  for (const std::int64_t steps : stages) {
    ModelSource source{
        fmt::format("probed/{}/{}", unlearn::stage_label(plan.probe, steps), plan.id),
        plan.identity.name(), unlearn::stage_file(steps), without_weights(plan.model)};
    source.splits = {"forget", "test"};
    source.inner = false;
    if (!plan.shown.empty()) {
      source.members = {"forget"};
      source.rows = plan.shown;
    }
    sources.push_back(std::move(source));
  }
}

/// Mean seconds by method, "retrain" for retrained models; of those that the pool has.
std::string seconds_text(const std::vector<train::ModelPlan>& models,
                         const std::vector<unlearn::UnlearnPlan>& unlearned,
                         const pool::Store& store) {
  std::map<std::string, std::vector<double>> seconds;
  const auto note = [&](const std::string& key, const pool::Identity& identity) {
    // What the pool lacks is left out of the evidence too.
    if (const auto entry = store.find(identity.name())) {
      seconds[key].push_back(entry->facts.at("seconds").get<double>());
    }
  };
  for (const auto& plan : unlearned) {
    if (plan.purpose.empty()) note(plan.method.label, plan.identity);
  }
  for (const auto& plan : models) {
    if (plan.role == "retrained") note("retrain", plan.identity);
  }
  std::string text;
  for (const auto& [key, values] : seconds) {
    double sum = 0;
    for (const double value : values) sum += value;
    if (values.empty()) continue;
    text += fmt::format("\"{}\" = {}\n", key, sum / static_cast<double>(values.size()));
  }
  return text;
}

}  // namespace

std::vector<ModelSource> sources_of(const std::vector<train::ModelPlan>& models,
                                    const std::vector<unlearn::UnlearnPlan>& unlearned,
                                    const std::vector<unlearn::ProbePlan>& probed, bool checkpoints,
                                    const std::vector<std::int64_t>& canaries) {
  std::vector<ModelSource> sources;
  for (const train::ModelPlan& plan : models) {
    // These serve to make others.
    if (plan.role == "before" || plan.role == "calibration_original") continue;
    if (plan.role == "shadow_whole" || plan.role == "features") continue;
    add_trained(plan, checkpoints, sources);
    if (plan.role == "original" && !canaries.empty()) add_canaries(plan, canaries, sources);
  }
  add_pairs(models, sources);
  std::set<std::string> mapped;
  for (const auto& plan : unlearned) {
    ModelSource source{fmt::format("unlearned/{}/{}", plan.method.label, plan.name),
                       plan.identity.name(), "model.safetensors",
                       without_weights(plan.identity.what.at("model"))};
    source.calibration = plan.purpose;
    source.maps = plan.purpose.empty() && mapped.insert(plan.method.label).second;
    sources.push_back(std::move(source));
  }
  for (const unlearn::ProbePlan& plan : probed) add_probed(plan, sources);
  return sources;
}

std::string settings_text(const train::Lab& lab, const std::vector<train::ModelPlan>& models,
                          const std::vector<unlearn::UnlearnPlan>& unlearned,
                          const pool::Store& store) {
  const std::string model = lab.recipe.model.at("name").get<std::string>();
  std::string text;
  if (!models::is_denoiser(model)) {
    text = fmt::format("kind = \"logits\"\nclasses = {}\n", lab.data.classes);
  }
  text += fmt::format("notes = \"{}, {}, {}\"\n", lab.recipe.name, lab.data.name, model);
  // Drawn at random from the training rows: verdicts may set them against test rows by themselves.
  if (lab.split.options.at("forget").value("kind", "random") == "random") {
    text += "exchangeable = true\n";
  }
  std::string pairing, removed, membership;
  for (const auto& plan : unlearned) {
    if (plan.purpose.empty() && plan.name != fmt::format("{}", plan.original)) {
      pairing += fmt::format("\"{}\" = \"original/{}\"\n", plan.identity.label, plan.original);
    }
  }
  for (const double share : lab.recipe.pool.partial_shares) {
    removed += fmt::format("\"{:g}\" = {}\n", share, share / 100);
  }
  // IAM paper, 5.2: at the i-th of n checkpoints the training rows have membership i / n.
  for (std::int64_t step = 1; step <= lab.recipe.graded.steps; ++step) {
    const double share = static_cast<double>(step) / static_cast<double>(lab.recipe.graded.steps);
    membership += fmt::format("\"{}\" = {}\n", checkpoint_group("graded", share), share);
  }
  if (!pairing.empty()) text += "\n[pairing]\n" + pairing;
  if (lab.recipe.pool.partial > 0) text += "\n[removed_fraction]\n" + removed;
  if (lab.recipe.pool.graded > 0) text += "\n[membership]\n" + membership;
  return text + "\n[seconds]\n" + seconds_text(models, unlearned, store);
}

}  // namespace vestige::collect
