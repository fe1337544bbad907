// Writing evidence.
#include "vestige/collect/collect.h"

#include <algorithm>
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
#include "vestige/base/seed.h"
#include "vestige/base/sha256.h"
#include "vestige/collect/folder.h"
#include "vestige/collect/outputs.h"
#include "vestige/collect/samples.h"
#include "vestige/collect/sources.h"
#include "vestige/data/draw.h"
#include "vestige/evidence/npy.h"
#include "vestige/models/checkpoint.h"
#include "vestige/models/kinds.h"
#include "vestige/train/fixed_batches.h"
#include "vestige/train/training.h"
#include "vestige/train/workshop.h"

namespace vestige::collect {
namespace {

namespace fs = std::filesystem;

/// Raised when the same models give other files.
constexpr int kCodeVersion = 2;  // 2: with subclasses, batches and members of graded retrains

/// The rows that shadow models were trained on, as the evidence calls them.
constexpr const char* kShadowTrain = "shadow_train";

/// Whether the recipe's models are denoisers, which say losses in the place of logits.
bool says_losses(const train::Lab& lab) {
  return models::is_denoiser(lab.recipe.model.at("name").get<std::string>());
}

/// Whether all shadow models were trained on the whole shadow part: only then is it one split.
bool shadows_share_rows(const train::Lab& lab, const std::vector<train::ModelPlan>& models) {
  bool any = false;
  for (const train::ModelPlan& plan : models) {
    if (plan.role != "shadow") continue;
    any = true;
    if (plan.rows.list() != lab.split.part("shadow")) return false;
  }
  return any;
}

std::string npy_of(const std::vector<std::int64_t>& values) {
  return evidence::write_npy(evidence::Array::from_integers(values, {values.size()}));
}

std::string own_split(const Source& source) {
  return fmt::format("{}.{}", kShadowTrain, source.shadow);
}

/// The name of a pair's model in the evidence: "0" or "0.original".
std::string pair_name(const Source& source) {
  return source.only_pair ? source.pair + ".original" : source.pair;
}

/// At most `most` of the rows, drawn at random; 0: all.
train::Rows thinned(const train::Rows& rows, std::int64_t most, std::uint64_t seed,
                    const std::string& name) {
  if (most == 0 || rows.size() <= static_cast<std::size_t>(most)) return rows;
  Stream stream(seed, "collect/" + name);
  train::Rows fewer;
  for (const std::size_t index : stream.sample(rows.size(), static_cast<std::size_t>(most))) {
    fewer.push_back(rows[index]);
  }
  return fewer;
}

using Splits = std::map<std::string, train::Rows>;

/// The rows of every split. Shadows with rows of their own have them under shadow_train.<name>.
/// Canaries are a split of their own and not among the forget rows, which stay a draw of ordinary
/// rows with their own labels.
Splits chosen_rows(const train::Lab& lab, const CollectSettings& settings,
                   const std::vector<Source>& sources) {
  Splits result;
  const auto add = [&](const std::string& name, const train::Rows& rows) {
    result[name] = thinned(rows, settings.rows, lab.recipe.seed, name);
  };
  for (const std::string& name : settings.splits) {
    const train::Rows& rows = lab.split.part(name == kShadowTrain ? "shadow" : name);
    add(name, name == "forget" ? data::without(rows, lab.split.part("canary")) : rows);
  }
  for (const Source& source : sources) {
    if (settings.own_shadow_rows && !source.shadow.empty()) add(own_split(source), source.rows);
    if (source.pair.empty()) continue;
    const std::string name = pair_name(source);
    result["shadow_forget." + name] =
        thinned(source.left_out, settings.rows, lab.recipe.seed, "shadow_forget." + source.pair);
    // As many rows that were kept as rows that were left out.
    const auto most = static_cast<std::int64_t>(source.left_out.size());
    result["shadow_retain." + name] =
        thinned(source.rows, settings.rows == 0 ? most : std::min(settings.rows, most),
                lab.recipe.seed, "shadow_retain." + source.pair);
  }
  return result;
}

void write_splits(Folder& folder, const train::Lab& lab, const Splits& splits) {
  const auto chosen = [](const std::vector<std::int64_t>& all, const train::Rows& rows) {
    std::vector<std::int64_t> result;
    for (const std::int64_t row : rows) result.push_back(all[static_cast<std::size_t>(row)]);
    return result;
  };
  for (const auto& [name, rows] : splits) {
    // Denoisers say nothing about classes.
    if (!says_losses(lab)) {
      folder.write("labels/" + name + ".npy", npy_of(chosen(lab.data.labels, rows)));
    }
    folder.write("ids/" + name + ".npy", npy_of(rows));
    if (!lab.data.subjects.empty()) {
      folder.write("subjects/" + name + ".npy", npy_of(chosen(lab.data.subjects, rows)));
    }
    if (!lab.data.subclasses.empty()) {
      folder.write("subclasses/" + name + ".npy", npy_of(chosen(lab.data.subclasses, rows)));
    }
  }
}

/// [n, h, w] or [n, h, w, c] of images that are kept as [n, c, h, w].
evidence::Array pictures_of(const data::Dataset& data, const train::Rows& rows) {
  const auto channels = static_cast<std::size_t>(data.shape[0]);
  const auto height = static_cast<std::size_t>(data.shape[1]);
  const auto width = static_cast<std::size_t>(data.shape[2]);
  const std::size_t pixels = height * width;
  auto bytes = std::make_shared<std::vector<std::uint8_t>>(rows.size() * data.row_size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const std::uint8_t* from =
        data.bytes.data() + data.input_row(static_cast<std::size_t>(rows[row])) * data.row_size();
    std::uint8_t* to = bytes->data() + row * data.row_size();
    for (std::size_t pixel = 0; pixel < pixels; ++pixel) {
      for (std::size_t channel = 0; channel < channels; ++channel) {
        to[pixel * channels + channel] = from[channel * pixels + pixel];
      }
    }
  }
  std::vector<std::size_t> shape = {rows.size(), height, width};
  if (channels > 1) shape.push_back(channels);
  return {evidence::DType::uint8, shape, std::as_bytes(std::span(*bytes)), bytes, 1};
}

/// Everything that shapes the folder's bytes.
std::string key_of(const train::Lab& lab, const CollectSettings& settings,
                   const std::vector<Source>& sources, const Splits& splits,
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
  for (const Source& source : sources) {
    what["sources"].push_back({source.place, source.entry, source.file, source.calibration});
  }
  const std::string bytes = what.dump();
  return sha256(std::as_bytes(std::span(bytes)));
}

std::vector<Source> present_in(const std::vector<Source>& all,
                               const std::function<bool(const std::string&)>& has) {
  std::vector<Source> present;
  std::copy_if(all.begin(), all.end(), std::back_inserter(present),
               [&has](const Source& source) { return has(source.entry); });
  return present;
}

/// Models of the evidence: those that only calibrate others do not count.
std::size_t models_in(const std::vector<Source>& sources) {
  return static_cast<std::size_t>(
      std::count_if(sources.begin(), sources.end(),
                    [](const Source& source) { return source.calibration.empty(); }));
}

void say_left_out(const std::vector<std::string>& places, const CollectSettings& settings) {
  for (const std::string& place : places) {
    fmt::print(stderr, "vestige: {} has NaN or infinite outputs{} and is left out\n", place,
               settings.dtype == "float16" ? " (float16 ends at 65504)" : "");
  }
}

/// Writes what one model says.
class Writer {
 public:
  Writer(Folder& folder, train::Workshop& workshop, const CollectSettings& settings,
         const Splits& splits)
      : folder_(folder),
        workshop_(workshop),
        settings_(settings),
        splits_(splits),
        request_{settings.taps,
                 settings.saliency,
                 settings.grad_cam_tap,
                 settings.dtype == "float16",
                 {.level = settings.noise_level, .draws = settings.noise_draws}} {}

  /// False if the model says NaN or infinity somewhere; it may have written something by then.
  bool write(const Source& source, models::Network& network) {
    if (!source.calibration.empty()) {
      const OutputRequest plain{{}, "none", "", request_.half};
      const auto& rows = splits_.find("calibration");
      if (rows == splits_.end()) return true;
      const Outputs outputs = outputs_of(network, workshop_.samples(), rows->second, plain);
      if (outputs.finite) put(source.place + "/" + source.calibration, outputs.logits);
      return outputs.finite;
    }
    if (!source.pair.empty() && !write_pair(source, network)) return false;
    if (source.only_pair) return true;
    const auto wanted = [&source](const std::string& name) {
      return source.splits.empty() ||
             std::find(source.splits.begin(), source.splits.end(), name) != source.splits.end();
    };
    for (const std::string& name : settings_.splits) {
      if (wanted(name) && !write_split(source, network, name, splits_.at(name))) return false;
    }
    const auto own = splits_.find(own_split(source));
    if (own != splits_.end() && !write_split(source, network, kShadowTrain, own->second)) {
      return false;
    }
    if (settings_.pictures && source.maps) write_maps(source, network);
    if (models::Denoiser* const denoiser = models::as_denoiser(network)) {
      if (settings_.samples > 0) write_samples(source, *denoiser);
    }
    return true;
  }

  /// Samples are looked at through this classifier, beside the test rows.
  void judge_by(models::NetworkPointer classifier) {
    const auto test = splits_.find("test");
    if (test == splits_.end()) return;
    judge_ = std::move(classifier);
    real_features_ = outputs_of(*judge_, workshop_.samples(), test->second,
                                {{"penultimate"}, "none", "", false, {}})
                         .activations.at("penultimate");
  }

 private:
  void put(const std::string& key, const evidence::Array& array) {
    folder_.write(key + ".npy", evidence::write_npy(array));
  }

  bool write_pair(const Source& source, models::Network& network) {
    const OutputRequest plain{{}, "none", "", request_.half};
    for (const char* split : {"shadow_forget", "shadow_retain"}) {
      const train::Rows& rows = splits_.at(fmt::format("{}.{}", split, pair_name(source)));
      const Outputs outputs = outputs_of(network, workshop_.samples(), rows, plain);
      if (!outputs.finite) return false;
      put(source.place + "/" + split, outputs.logits);
    }
    return true;
  }

  bool write_split(const Source& source, models::Network& network, const std::string& name,
                   const train::Rows& rows) {
    OutputRequest request = request_;
    if (!source.inner) request = {{}, "none", "", request_.half, request_.noise};
    const Outputs outputs = outputs_of(network, workshop_.samples(), rows, request);
    if (!outputs.finite) return false;
    if (outputs.losses.empty()) {
      put(source.place + "/" + name, outputs.logits);
    } else {
      put(source.place + "/losses/" + name,
          evidence::Array::from_doubles(outputs.losses, {outputs.losses.size()}));
    }
    for (const auto& [tap, array] : outputs.activations) {
      put(fmt::format("{}/activations/{}/{}", source.place, tap, name), array);
    }
    if (request.saliency != "none") put(source.place + "/saliency/" + name, outputs.saliency);
    if (source.fixed_batch > 0 && (name == "forget" || name == "retain")) {
      const std::map<std::int64_t, std::int64_t> known =
          train::fixed_batch_of(source.rows, source.seed, source.fixed_batch);
      std::vector<std::int64_t> batches;
      for (const std::int64_t row : rows) {
        const auto found = known.find(row);
        batches.push_back(found == known.end() ? -1 : found->second);
      }
      folder_.write(fmt::format("{}/batches/{}.npy", source.place, name), npy_of(batches));
    }
    if (source.says_members(name)) {
      std::vector<std::int64_t> members;
      for (const std::int64_t row : rows) {
        members.push_back(std::binary_search(source.rows.begin(), source.rows.end(), row) ? 1 : 0);
      }
      put(source.place + "/members/" + name,
          evidence::Array::from_integers(members, {members.size()}));
    }
    return true;
  }

  void write_samples(const Source& source, models::Denoiser& network) {
    const data::Dataset& data = workshop_.lab().data;
    const torch::Tensor rows = sampled_rows(network, data, settings_.samples);
    constexpr std::int64_t kInFile = 64, kOnPage = 36;
    folder_.write(sample_file(source.place), data::encode_png(picture_sheet(rows, data, kInFile)));
    if (source.maps) {
      std::string model = source.place;
      std::replace(model.begin(), model.end(), '/', '.');
      put("pictures/samples." + model,
          sheet_array(picture_sheet(rows, data, kOnPage), data.shape[0] == 3));
    }
    if (!judge_) return;
    const std::string place = source.place + "/activations/features/";
    put(place + "generated", to_array(feature_values(*judge_, rows), false));
    put(place + "test", real_features_);
  }

  void write_maps(const Source& source, models::Network& network) {
    const auto forget = splits_.find("forget");
    if (forget == splits_.end()) return;
    const std::string tap = settings_.grad_cam_tap.empty()
                                ? last_spatial_tap(network, workshop_.samples())
                                : settings_.grad_cam_tap;
    if (tap.empty()) return;  // an architecture without maps
    put(source.place + "/grad_cam/forget",
        grad_cam_maps(network, workshop_.samples(), forget->second, tap));
  }

  Folder& folder_;
  train::Workshop& workshop_;
  const CollectSettings& settings_;
  const Splits& splits_;
  OutputRequest request_;
  models::NetworkPointer judge_;  ///< the classifier of [features]; may be missing
  evidence::Array real_features_;
};

/// The pool name of the classifier of [features]; empty if the recipe has none.
std::string feature_model_of(const std::vector<train::ModelPlan>& models) {
  for (const train::ModelPlan& plan : models) {
    if (plan.role == "features") return plan.identity.name();
  }
  return {};
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
  settings.pictures = options.boolean("pictures", false);
  settings.noise_level = options.number("noise_level", settings.noise_level);
  if (!(settings.noise_level > 0)) options.wrong("noise_level", "it must be above 0");
  settings.noise_draws = options.integer("noise_draws", settings.noise_draws);
  if (settings.noise_draws < 1) options.wrong("noise_draws", "at least one level is needed");
  settings.samples = options.integer("samples", 0);
  if (settings.samples < 0) options.wrong("samples", "it must not be negative");
  options.finish();
  if (settings.saliency == "grad_cam" && settings.grad_cam_tap.empty()) {
    options.wrong(
        "grad_cam_tap",
        "Grad-CAM needs it: name a tap (vestige models --taps NAME lists an architecture's)");
  }
  return settings;
}

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
  const std::vector<Source> all =
      sources_of(models, unlearned, probed, settings.checkpoints, lab->split.part("canary"));
  const std::string text = settings_text(*lab, models, unlearned, store);
  const std::string feature_model = feature_model_of(models);
  CollectSummary summary{.out = settings.out};
  // A folder that is there already needs no look into the models: their names say what they hold.
  const std::vector<Source> named = present_in(
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
  const std::vector<Source> present =
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
    folder.write("pictures/forget.npy",
                 evidence::write_npy(pictures_of(lab->data, splits.at("forget"))));
  }
  folder.write("evidence.toml", text);
  Writer writer(folder, workshop, settings, splits);
  Progress progress("collecting outputs", present.size());
  workshop.samples();  // made once, before threads share them
  if (settings.samples > 0 && !feature_model.empty() && store.find(feature_model)) {
    const models::NetworkPointer classifier = workshop.network(lab->recipe.features.model);
    models::load(*classifier, 0, store.read(feature_model, "model.safetensors"), feature_model);
    writer.judge_by(classifier);
  }
  std::mutex reading;  // and of broken
  std::vector<const Source*> broken;
  const auto collect_one = [&](std::size_t place) {
    const Source& source = present[place];
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
  if (lab->device == "cpu") {
    parallel_for(present.size(), collect_one);
  } else {
    for (std::size_t place = 0; place < present.size(); ++place) collect_one(place);
  }
  require(broken.size() < present.size(),
          "all {} models give NaN or infinite outputs: train them with a smaller rate",
          present.size());
  summary.models = models_in(present);
  for (const Source* source : broken) {
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
