// Writing evidence.
#include "vestige/collect/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/parallel.h"
#include "vestige/base/progress.h"
#include "vestige/base/sha256.h"
#include "vestige/collect/chosen_rows.h"
#include "vestige/collect/folder.h"
#include "vestige/collect/model_writer.h"
#include "vestige/collect/sources.h"
#include "vestige/collect/split_files.h"
#include "vestige/models/weights/checkpoint.h"
#include "vestige/pool/tries.h"
#include "vestige/pool/workers.h"
#include "vestige/train/memory.h"
#include "vestige/train/training.h"
#include "vestige/train/workshop.h"

namespace vestige::collect {
namespace {

namespace fs = std::filesystem;

/// Raised when the same models give other files.
constexpr int kCodeVersion = 2;  // 2: with subclasses, batches and members of graded retrains

/// Everything that shapes the folder's bytes.
std::string key_of(const train::Lab& lab, const CollectSettings& settings,
                   const std::vector<ModelSource>& sources, const Splits& splits,
                   const std::string& text, const std::string& feature_model) {
  const auto hash_of = [](const train::Rows& rows) {
    return sha256(std::as_bytes(std::span(rows)));
  };
  Json what = {{"code", kCodeVersion},
               {"device", lab.device},
               {"data", lab.data.sha256},
               {"split", lab.split.options},
               {"settings", text},
               {"taps", settings.taps},
               {"saliency", settings.saliency},
               {"grad_cam_tap", settings.grad_cam_tap},
               {"dtype", settings.dtype},
               {"pictures", settings.pictures}};
  if (says_losses(lab)) {
    what["noise"] = {settings.noise_level, settings.noise_draws, settings.samples, feature_model};
  }
  if (!settings.program.empty()) what["program"] = settings.program;
  for (const auto& [name, rows] : splits) what["rows"][name] = hash_of(rows);
  for (const ModelSource& source : sources) {
    what["sources"].push_back({source.place, source.entry, source.file, source.calibration});
  }
  const std::string bytes = what.dump();
  return sha256(std::as_bytes(std::span(bytes)));
}

std::vector<ModelSource> present_in(const std::vector<ModelSource>& all,
                                    const std::function<bool(const std::string&)>& has) {
  std::vector<ModelSource> present;
  std::copy_if(all.begin(), all.end(), std::back_inserter(present),
               [&has](const ModelSource& source) { return has(source.entry); });
  return present;
}

/// Models of the evidence: those that only calibrate others do not count.
std::size_t models_in(const std::vector<ModelSource>& sources) {
  return static_cast<std::size_t>(
      std::count_if(sources.begin(), sources.end(),
                    [](const ModelSource& source) { return source.calibration.empty(); }));
}

void say_left_out(const std::vector<std::string>& places, const CollectSettings& settings) {
  for (const std::string& place : places) {
    fmt::print(stderr, "vestige: {} has NaN or infinite outputs{} and is left out\n", place,
               settings.dtype == "float16" ? " (float16 ends at 65504)" : "");
  }
}

/// The pool name of the classifier of [features]; empty if the recipe has none.
std::string feature_model_of(const std::vector<train::ModelPlan>& models) {
  for (const train::ModelPlan& plan : models) {
    if (plan.role == "features") return plan.identity.name();
  }
  return {};
}

/// Whether the kernel killed a process that was collecting the same models; then it is said.
bool died_before(const pool::Try& attempt) {
  if (attempt.deaths() == 0) return false;
  std::fputs(
      "vestige: the process that was collecting these models was killed, perhaps for want of "
      "memory: collecting one model at a time\n",
      stderr);
  return true;
}

/// Calls collect_one for every place: several at once where `side_by_side` says so and memory
/// suffices, else one after the other.
void collect_each(const std::vector<ModelSource>& sources, bool side_by_side,
                  const std::function<void(std::size_t)>& collect_one) {
  std::vector<char> done(sources.size(), 0);
  const auto once = [&](std::size_t place) {
    if (done[place] == 0) collect_one(place);
    done[place] = 1;
  };
  if (side_by_side) {
    try {
      return parallel_for(sources.size(), once);
    } catch (const std::exception& error) {
      if (!train::lacks_memory(error)) throw;
      std::fputs(
          "vestige: warning: memory does not suffice for several models side by side: collecting "
          "one at a time (--threads 1 asks for no more)\n",
          stderr);
    }
  }
  for (std::size_t place = 0; place < sources.size(); ++place) {
    try {
      once(place);
    } catch (const std::exception& error) {
      if (!train::lacks_memory(error)) throw;
      fail(
          "{}: memory does not suffice for the outputs of one model: ask for fewer rows or taps "
          "in [collect], or use a machine with more",
          sources[place].place);
    }
  }
}

}  // namespace

CollectSummary collect(std::shared_ptr<const train::Lab> lab,
                       const std::vector<train::ModelPlan>& models,
                       const std::vector<unlearn::UnlearnPlan>& unlearned, pool::Store& store,
                       const CollectSettings& given, bool force,
                       const std::vector<unlearn::ProbePlan>& probed) {
  CollectSettings settings = given;
  if (settings.splits.empty()) {
    for (const auto& [name, rows] : lab->split.parts) {
      if (!rows.empty() && name != "train" && name != "shadow") settings.splits.push_back(name);
    }
    settings.own_shadow_rows = !shadows_share_rows(*lab, models);
    if (!settings.own_shadow_rows) settings.splits.emplace_back(kShadowTrain);
  }
  const std::vector<ModelSource> all =
      sources_of(models, unlearned, probed, settings.checkpoints, lab->split.part("canary"));
  const std::string text = settings_text(*lab, models, unlearned, store);
  const std::string feature_model = feature_model_of(models);
  CollectSummary summary{.out = settings.out};
  // A folder that is there already needs no look into the models: their names say what they hold.
  const std::vector<ModelSource> named = present_in(
      all, [&store](const std::string& entry) { return fs::exists(store.folder() / entry); });
  if (auto record = record_of(
          settings.out,
          key_of(*lab, settings, named, chosen_rows(*lab, settings, named), text, feature_model))) {
    summary.reused = true;
    summary.models = record->models;
    summary.broken = std::move(record->left_out);
    summary.missing = all.size() - named.size();
    say_left_out(summary.broken, settings);
    return summary;
  }
  const std::vector<ModelSource> present =
      present_in(all, [&store](const std::string& entry) { return store.find(entry).has_value(); });
  summary.missing = all.size() - present.size();
  require(!present.empty(), "none of the recipe's models is in {}: run vestige train first",
          store.folder().string());
  require(!settings.pictures || (!lab->data.bytes.empty() && lab->data.shape.size() == 3),
          "{}: [collect] pictures is for images, and {} is a table: set it to false",
          lab->recipe.path.string(), lab->data.name);
  const Splits splits = chosen_rows(*lab, settings, present);
  const std::string key = key_of(*lab, settings, present, splits, text, feature_model);
  Folder folder(settings.out, force);
  train::prepare_engine(lab->device, lab->recipe.train.threads, "float32",
                        lab->recipe.train.deterministic);
  train::Workshop workshop(lab);
  write_splits(folder, *lab, splits);
  if (settings.pictures && splits.count("forget") > 0) {
    write_pictures(folder, lab->data, splits.at("forget"));
  }
  folder.write("evidence.toml", text);
  ModelWriter writer(folder, workshop, settings, splits);
  Progress progress(lab->context.progress(), "collecting outputs", present.size());
  workshop.samples();  // made once, before threads share them
  if (settings.samples > 0 && !feature_model.empty() && store.find(feature_model)) {
    const models::NetworkPointer classifier = workshop.network(lab->recipe.features.model);
    models::load(*classifier, 0, store.read(feature_model, "model.safetensors"), feature_model);
    writer.judge_by(classifier);
  }
  const pool::Try attempt(store.folder(), "collect-" + key.substr(0, 20), pool::run_started());
  std::mutex reading;  // and of broken
  std::vector<const ModelSource*> broken;
  const auto collect_one = [&](std::size_t place) {
    const ModelSource& source = present[place];
    const models::NetworkPointer network = workshop.network(source.model);
    models::check_taps(*network, {settings.taps.begin(), settings.taps.end()});
    if (!settings.grad_cam_tap.empty()) models::check_taps(*network, {settings.grad_cam_tap});
    const std::string weights = [&] {
      const std::scoped_lock lock(reading);
      return store.read(source.entry, source.file);
    }();
    models::load(*network, 0, weights, source.entry);
    if (!writer.write(source, *network)) {
      const std::scoped_lock lock(reading);
      broken.push_back(&source);
    }
    progress.add();
  };
  // A model's outputs are its own, so models may go side by side; a GPU takes them one by one.
  lab->context.run(
      [&] { collect_each(present, lab->device == "cpu" && !died_before(attempt), collect_one); });
  require(broken.size() < present.size(),
          "all {} models give NaN or infinite outputs: train them with a smaller rate",
          present.size());
  summary.models = models_in(present);
  for (const ModelSource* source : broken) {
    // Of a model that only calibrates another, just its own file is missing.
    const bool calibrates = !source->calibration.empty();
    if (!calibrates) folder.drop(source->place);
    summary.models -= calibrates ? 0 : 1;
    summary.broken.push_back(calibrates ? source->place + "/" + source->calibration
                                        : source->place);
  }
  std::sort(summary.broken.begin(), summary.broken.end());
  say_left_out(summary.broken, settings);
  check_interrupt();
  folder.commit({key, summary.models, summary.broken});
  return summary;
}

}  // namespace vestige::collect
