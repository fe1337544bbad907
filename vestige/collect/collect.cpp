// Writing evidence.
#include "vestige/collect/collect.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/progress.h"
#include "vestige/base/seed.h"
#include "vestige/collect/outputs.h"
#include "vestige/evidence/npy.h"
#include "vestige/models/checkpoint.h"
#include "vestige/pool/failures.h"
#include "vestige/train/training.h"
#include "vestige/train/workshop.h"

namespace vestige::collect {
namespace {

namespace fs = std::filesystem;

/// The rows that shadow models were trained on, as the evidence calls them.
constexpr const char* kShadowTrain = "shadow_train";

/// Whether all shadow models were trained on the whole shadow part: only then is it one split.
bool shadows_share_rows(const train::Lab& lab, const std::vector<train::ModelPlan>& models) {
  bool any = false;
  for (const train::ModelPlan& plan : models) {
    if (plan.role != "shadow") continue;
    any = true;
    if (plan.rows != lab.split.part("shadow")) return false;
  }
  return any;
}

/// A folder that gets its name only when it is complete.
class Folder {
 public:
  Folder(fs::path out, bool force)
      : out_(std::move(out)), temporary_(fmt::format("{}.partial.{}", out_.string(), ::getpid())) {
    require(!fs::exists(out_) || force, "{} exists: give --force to replace it, or another --out",
            out_.string());
    require(!fs::exists(out_) || fs::is_empty(out_) || fs::exists(out_ / "labels"),
            "{} is not an evidence folder and is left alone: give another --out", out_.string());
    std::error_code error;
    fs::create_directories(temporary_, error);
    require(!error, "cannot make {}: {}", temporary_.string(), error.message());
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(temporary_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& name, std::string_view content) {
    const fs::path path = temporary_ / name;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    require(!error, "cannot make {}: {}", path.parent_path().string(), error.message());
    write_file(path, content);
  }

  void commit() {
    if (fs::exists(out_)) {
      const fs::path old = temporary_.string() + ".old";
      fs::rename(out_, old);
      fs::rename(temporary_, out_);
      fs::remove_all(old);
    } else {
      fs::rename(temporary_, out_);
    }
  }

 private:
  fs::path out_, temporary_;
};

std::string npy_of(const std::vector<std::int64_t>& values) {
  return evidence::write_npy(evidence::Array::from_integers(values, {values.size()}));
}

std::map<std::string, train::Rows> chosen_rows(const train::Lab& lab,
                                               const CollectSettings& settings) {
  std::map<std::string, train::Rows> result;
  for (const std::string& name : settings.splits) {
    train::Rows rows = lab.split.part(name == kShadowTrain ? "shadow" : name);
    if (settings.rows > 0 && rows.size() > static_cast<std::size_t>(settings.rows)) {
      Stream stream(lab.recipe.seed, "collect/" + name);
      train::Rows fewer;
      for (const std::size_t index :
           stream.sample(rows.size(), static_cast<std::size_t>(settings.rows))) {
        fewer.push_back(rows[index]);
      }
      rows = std::move(fewer);
    }
    result[name] = std::move(rows);
  }
  return result;
}

void write_splits(Folder& folder, const train::Lab& lab,
                  const std::map<std::string, train::Rows>& splits) {
  const auto chosen = [](const std::vector<std::int64_t>& all, const train::Rows& rows) {
    std::vector<std::int64_t> result;
    for (const std::int64_t row : rows) result.push_back(all[static_cast<std::size_t>(row)]);
    return result;
  };
  for (const auto& [name, rows] : splits) {
    folder.write("labels/" + name + ".npy", npy_of(chosen(lab.data.labels, rows)));
    folder.write("ids/" + name + ".npy", npy_of(rows));
    if (!lab.data.subjects.empty()) {
      folder.write("subjects/" + name + ".npy", npy_of(chosen(lab.data.subjects, rows)));
    }
  }
}

/// evidence.toml: what the arrays cannot say.
std::string settings_text(const train::Lab& lab, const std::vector<unlearn::UnlearnPlan>& unlearned,
                          const pool::Store& store, const std::vector<train::ModelPlan>& models) {
  std::string text =
      fmt::format("kind = \"logits\"\nclasses = {}\nnotes = \"{}, {}, {}\"\n", lab.data.classes,
                  lab.recipe.name, lab.data.name, lab.recipe.model.at("name").get<std::string>());
  std::map<std::string, std::vector<double>> seconds;
  const auto note_seconds = [&](const std::string& key, const pool::Identity& identity) {
    try {
      seconds[key].push_back(store.entry(identity.name()).facts.at("seconds").get<double>());
    } catch (const InputError&) {
      // left out of the evidence too
    }
  };
  std::string pairing, removed;
  for (const auto& plan : unlearned) {
    note_seconds(plan.method.label, plan.identity);
    if (plan.name != fmt::format("{}", plan.original)) {
      pairing += fmt::format("\"{}\" = \"original/{}\"\n", plan.identity.label, plan.original);
    }
  }
  for (const auto& plan : models) {
    if (plan.role == "retrained") note_seconds("retrain", plan.identity);
  }
  for (const double share : lab.recipe.pool.partial_shares) {
    removed += fmt::format("\"{:g}\" = {}\n", share, share / 100);
  }
  if (!pairing.empty()) text += "\n[pairing]\n" + pairing;
  if (lab.recipe.pool.partial > 0) text += "\n[removed_fraction]\n" + removed;
  text += "\n[seconds]\n";
  for (const auto& [key, values] : seconds) {
    double sum = 0;
    for (const double value : values) sum += value;
    if (!values.empty()) {
      text += fmt::format("\"{}\" = {}\n", key, sum / static_cast<double>(values.size()));
    }
  }
  return text;
}

std::vector<Source> sources_of(const std::vector<train::ModelPlan>& models,
                               const std::vector<unlearn::UnlearnPlan>& unlearned,
                               bool checkpoints) {
  std::vector<Source> sources;
  for (const train::ModelPlan& plan : models) {
    if (plan.role == "membership") continue;  // targets of a protocol of their own
    sources.push_back({plan.identity.label, plan.identity.name(), "model.safetensors", plan.model});
    for (const double fraction : plan.train.checkpoints) {
      if (!checkpoints || plan.train.epochs == 0) break;
      sources.push_back({fmt::format("{}.at.{:g}", plan.identity.label, fraction),
                         plan.identity.name(), fmt::format("checkpoint-{:g}.safetensors", fraction),
                         plan.model});
    }
  }
  for (const auto& plan : unlearned) {
    sources.push_back({plan.identity.label, plan.identity.name(), "model.safetensors",
                       plan.identity.what.at("model")});
  }
  return sources;
}

}  // namespace

CollectSettings read_collect(const train::Recipe& recipe) {
  Options options = recipe.section("collect");
  CollectSettings settings;
  settings.out = options.text("out", settings.out.string());
  settings.splits = options.texts("splits", {});
  settings.rows = options.integer("rows", 0);
  if (settings.rows < 0) options.wrong("rows", "it must not be negative");
  settings.taps = options.texts("taps", {});
  settings.saliency = options.choice("saliency", "none", {"none", "gradient", "grad_cam"});
  settings.grad_cam_tap = options.text("grad_cam_tap", "");
  settings.dtype = options.choice("dtype", "float32", {"float32", "float16"});
  settings.checkpoints = options.boolean("checkpoints", false);
  options.finish();
  if (settings.saliency == "grad_cam" && settings.grad_cam_tap.empty()) {
    options.wrong("grad_cam_tap", "Grad-CAM needs it: name a tap (vestige models --taps)");
  }
  return settings;
}

CollectSummary collect(std::shared_ptr<const train::Lab> lab,
                       const std::vector<train::ModelPlan>& models,
                       const std::vector<unlearn::UnlearnPlan>& unlearned, pool::Store& store,
                       const CollectSettings& given, bool force) {
  CollectSettings settings = given;
  if (settings.splits.empty()) {
    for (const auto& [name, rows] : lab->split.parts) {
      if (!rows.empty() && name != "train" && name != "shadow") settings.splits.push_back(name);
    }
    if (shadows_share_rows(*lab, models)) settings.splits.emplace_back(kShadowTrain);
  }
  std::vector<Source> present;
  CollectSummary summary{.out = settings.out};
  for (const Source& source : sources_of(models, unlearned, settings.checkpoints)) {
    if (store.has(source.entry)) {
      present.push_back(source);
    } else {
      ++summary.missing;
    }
  }
  require(!present.empty(), "none of the recipe's models is in {}: run vestige train first",
          store.folder().string());
  Folder folder(settings.out, force);
  train::prepare_engine(lab->device, lab->recipe.train.threads);
  train::Workshop workshop(lab);
  const auto splits = chosen_rows(*lab, settings);
  write_splits(folder, *lab, splits);
  folder.write("evidence.toml", settings_text(*lab, unlearned, store, models));
  const OutputRequest request{settings.taps, settings.saliency, settings.grad_cam_tap,
                              settings.dtype == "float16"};
  Progress progress("collecting outputs", present.size());
  for (const Source& source : present) {
    const models::NetworkPointer network = workshop.network(source.model);
    models::check_taps(*network, {settings.taps.begin(), settings.taps.end()});
    if (!settings.grad_cam_tap.empty()) models::check_taps(*network, {settings.grad_cam_tap});
    models::load(*network, 0, store.read(source.entry, source.file), source.entry);
    for (const auto& [name, rows] : splits) {
      const Outputs outputs = outputs_of(*network, workshop.samples(), rows, request);
      folder.write(fmt::format("{}/{}.npy", source.place, name),
                   evidence::write_npy(outputs.logits));
      for (const auto& [tap, array] : outputs.activations) {
        folder.write(fmt::format("{}/activations/{}/{}.npy", source.place, tap, name),
                     evidence::write_npy(array));
      }
      if (settings.saliency != "none") {
        folder.write(fmt::format("{}/saliency/{}.npy", source.place, name),
                     evidence::write_npy(outputs.saliency));
      }
    }
    ++summary.models;
    progress.add();
  }
  check_interrupt();
  folder.commit();
  return summary;
}

}  // namespace vestige::collect
