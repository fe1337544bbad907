// The reader: files to places, stacked pools to models.
#include "vestige/evidence/reader.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/evidence/checks.h"
#include "vestige/evidence/layout.h"
#include "vestige/evidence/settings.h"
#include "vestige/evidence/side_files.h"
#include "vestige/evidence/source.h"

namespace vestige::evidence {
namespace {

/// One array with the place it belongs to.
struct Entry {
  Place place;
  std::string file;
  Array array;
};

/// The files of one model folder, before a stacked pool is taken apart.
using ModelKey = std::tuple<std::string, std::string, std::string>;  // role, method, name
using ModelFiles = std::vector<Entry>;

struct ModelOrder {
  bool operator()(const ModelKey& left, const ModelKey& right) const {
    const auto& [role, method, name] = left;
    const auto& [other_role, other_method, other_name] = right;
    if (role != other_role) return role_order(role) < role_order(other_role);
    if (method != other_method) return natural_less(method, other_method);
    return natural_less(name, other_name);
  }
};

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : source_(open_source(path)) {
    reading_.evidence.path = path;
  }

  Reading run(bool with_hashes) {
    read_settings();
    read_arrays(with_hashes);
    read_side_files(source_, reading_.evidence, reading_.findings);
    for (auto& [key, files] : models_) add_models(key, files);
    settle_kind();
    check_labels_exist();
    check_accuracy(reading_.evidence, reading_.findings);
    const Findings more = check(reading_.evidence);
    reading_.findings.insert(reading_.findings.end(), more.begin(), more.end());
    return std::move(reading_);
  }

 private:
  void add_finding(Severity severity, const std::string& file, std::string text) {
    reading_.findings.push_back({severity, file, std::move(text)});
  }

  void read_settings() {
    if (!source_.has_file("evidence.toml")) return;
    try {
      settings_ = parse_settings(source_.read("evidence.toml"), "evidence.toml");
    } catch (const InputError& error) {
      add_finding(Severity::error, "", error.what());
    }
    Evidence& evidence = reading_.evidence;
    evidence.pairing = settings_.pairing;
    evidence.removed_fraction = settings_.removed_fraction;
    evidence.seconds = settings_.seconds;
    evidence.membership = settings_.membership;
    evidence.token_moments = settings_.token_moments.value_or("");
    evidence.notes = settings_.notes;
  }

  void read_arrays(bool with_hashes) {
    std::vector<Input> inputs;
    std::vector<std::string> keys;  // of inputs; a file beside the arrays has none
    for (const std::string& key : source_.keys()) {
      const std::string file = source_.file_of(key);
      Entry entry{place_of(key), file, {}};
      if (entry.place.part == Part::unknown) {
        add_finding(Severity::warning, file, "is not read: " + entry.place.why);
        continue;
      }
      try {
        entry.array = source_.load(key);
      } catch (const InputError& error) {
        add_finding(Severity::error, "", error.what());
        continue;
      }
      inputs.push_back({file, "", entry.array.shape()});
      keys.push_back(key);
      place(std::move(entry));
    }
    for (const std::string& file : source_.files()) {
      if (!is_side_file(file)) continue;
      inputs.push_back({file, "", {}});
      keys.emplace_back();
    }
    if (with_hashes) {
      parallel_for(inputs.size(), [&](std::size_t index) {
        inputs[index].sha256 = keys[index].empty() ? source_.sha256_file(inputs[index].path)
                                                   : source_.sha256(keys[index]);
      });
    }
    reading_.evidence.inputs = std::move(inputs);
  }

  void place(Entry entry) {
    const Place& where = entry.place;
    if (where.part == Part::labels) return place_labels(entry);
    if (where.part == Part::ids || where.part == Part::subjects) return place_names(entry);
    if (entry.array.size() == 0) {
      return add_finding(Severity::error, entry.file,
                         fmt::format("has shape {} and so no values: export it again",
                                     shape_text(entry.array.shape())));
    }
    if (where.part == Part::pictures) return place_pictures(entry);
    models_[{where.role, where.method, where.name}].push_back(std::move(entry));
  }

  void place_pictures(const Entry& entry) {
    const auto& shape = entry.array.shape();
    const bool grey = shape.size() == 3;
    const bool colour = shape.size() == 4 && (shape[3] == 1 || shape[3] == 3);
    if (entry.array.dtype() != DType::uint8 || !(grey || colour)) {
      return add_finding(Severity::error, entry.file,
                         fmt::format("has shape {} and type {}: pictures are uint8, [rows, height, "
                                     "width] or [rows, height, width, 3]",
                                     shape_text(shape), name(entry.array.dtype())));
    }
    if (rows_fit(entry.file, entry.place.split, shape[0])) {
      reading_.evidence.pictures[entry.place.split] = entry.array;
    }
  }

  void place_labels(const Entry& entry) {
    const bool column = entry.array.rank() == 2 && entry.array.shape()[1] == 1;
    if (entry.array.rank() != 1 && !column) {
      return add_finding(Severity::error, entry.file,
                         fmt::format("has shape {}: labels are one class number per row, [n]; "
                                     "one-hot labels become numbers by argmax(axis=1)",
                                     shape_text(entry.array.shape())));
    }
    if (entry.array.rows() == 0) {
      return add_finding(Severity::error, entry.file, "holds no labels: export it again");
    }
    try {
      reading_.evidence.labels[entry.place.split] = entry.array.integers();
    } catch (const InputError& error) {
      add_finding(Severity::error, entry.file,
                  fmt::format("labels must be whole numbers: {}", error.what()));
    }
  }

  void place_names(const Entry& entry) {
    if (entry.array.rank() != 1) {
      return add_finding(Severity::error, entry.file,
                         fmt::format("has shape {}: give one identity per row, [n]",
                                     shape_text(entry.array.shape())));
    }
    auto& target =
        entry.place.part == Part::ids ? reading_.evidence.ids : reading_.evidence.subjects;
    target[entry.place.split] = entry.array.strings();
  }

  /// The split whose labels a file's rows have: a model may have rows of its own
  /// (labels/shadow_train.0.npy for shadow/0/shadow_train.npy).
  std::string labelled_split(const std::string& split, const std::string& model) const {
    const std::string own = split + "." + model;
    return reading_.evidence.labels.count(own) > 0 ? own : split;
  }

  /// Labels decide how many rows a split has; without them the first array does.
  bool rows_fit(const std::string& file, const std::string& split, std::size_t rows) {
    const auto labels = reading_.evidence.labels.find(split);
    if (labels != reading_.evidence.labels.end()) {
      if (rows == labels->second.size()) return true;
      add_finding(Severity::error, file,
                  fmt::format("has {} rows, labels/{} has {}: both must list the same samples in "
                              "the same order; export both from one loader without shuffling",
                              rows, split, labels->second.size()));
      return false;
    }
    const auto [known, is_new] = rows_of_split_.try_emplace(split, rows, file);
    if (is_new || known->second.first == rows) return true;
    add_finding(Severity::error, file,
                fmt::format("has {} rows, {} has {}: every model must list the same samples of "
                            "split {}",
                            rows, known->second.second, known->second.first, split));
    return false;
  }

  bool outputs_fit(const Entry& entry, const Array& outputs) {
    if (!is_floating(outputs.dtype())) {
      add_finding(Severity::error, entry.file,
                  fmt::format("has type {}: outputs are float16, float32 or float64; export logits "
                              "and not predicted classes",
                              name(outputs.dtype())));
      return false;
    }
    if (outputs.rank() != 2) {
      add_finding(Severity::error, entry.file,
                  fmt::format("has shape {}: outputs are [rows, classes] of one model or "
                              "[models, rows, classes] of a pool",
                              shape_text(entry.array.shape())));
      return false;
    }
    std::size_t& classes = reading_.evidence.classes;
    if (classes == 0) {
      classes = settings_.classes.value_or(outputs.cols());
      classes_from_ = settings_.classes ? "evidence.toml" : entry.file;
    }
    if (outputs.cols() != classes) {
      add_finding(Severity::error, entry.file,
                  fmt::format("has {} columns, {} says {}: every model must have one column per "
                              "class",
                              outputs.cols(), classes_from_, classes));
      return false;
    }
    if (classes < 2) {
      add_finding(Severity::error, entry.file,
                  "has one column: a binary model needs two, export [1 - p, p] as probabilities");
      return false;
    }
    return rows_fit(entry.file, labelled_split(entry.place.split, entry.place.name),
                    outputs.rows());
  }

  void add_models(const ModelKey& key, const ModelFiles& files) {
    const auto& [role, method, name] = key;
    std::size_t stacked = 0;
    for (const Entry& entry : files) {
      if (entry.place.part != Part::outputs || entry.array.rank() != 3) continue;
      if (stacked != 0 && stacked != entry.array.shape()[0]) {
        add_finding(Severity::error, entry.file,
                    fmt::format("stacks {} models, another split of this pool stacks {}: each "
                                "split must hold the same models in the same order",
                                entry.array.shape()[0], stacked));
        return;
      }
      stacked = entry.array.shape()[0];
    }
    std::vector<Model> models(std::max<std::size_t>(stacked, 1));
    for (std::size_t index = 0; index < models.size(); ++index) {
      models[index].role = role;
      models[index].method = method;
      models[index].name = stacked == 0 ? name : fmt::format("{}/{}", name, index);
      models[index].folder = folder_of(files.front());
      models[index].stacked = stacked == 0 ? -1 : static_cast<int>(index);
    }
    for (const Entry& entry : files) add_entry(entry, stacked, models);
    Group& group = group_of(role, method);
    for (Model& model : models) group.models.push_back(std::move(model));
  }

  static std::string folder_of(const Entry& entry) {
    std::string file = entry.file;
    const int up = entry.place.part == Part::outputs       ? 1
                   : entry.place.part == Part::activations ? 3
                                                           : 2;
    for (int level = 0; level < up; ++level) file.resize(file.rfind('/'));
    return file;
  }

  /// Adds one array to its model, or to each model of a stacked pool.
  void add_entry(const Entry& entry, std::size_t stacked, std::vector<Model>& models) {
    const Place& where = entry.place;
    if (where.part == Part::tokens) {
      for (Model& model : models) model.tokens[where.split] = entry.array;
      return;
    }
    if (where.part == Part::members) return add_members(entry, stacked, models);
    if (where.part == Part::grad_cam) return add_grad_cam(entry, models);
    // Activations of a pool are stacked like its outputs; [n, h, w] of one model is not a stack.
    const bool slices = stacked != 0 && entry.array.rank() >= 3 && entry.array.rows() == stacked;
    const Array first = slices ? entry.array.slice(0) : entry.array;
    if (where.part == Part::outputs) {
      if (stacked != 0 && !slices) {
        return add_finding(Severity::error, entry.file,
                           fmt::format("has shape {}, but other splits of this pool stack {} "
                                       "models: give [models, rows, classes]",
                                       shape_text(entry.array.shape()), stacked));
      }
      if (!outputs_fit(entry, first)) return;
    } else if (first.rank() < 2 || !is_floating(first.dtype())) {
      return add_finding(Severity::error, entry.file,
                         fmt::format("has shape {} and type {}: give floating values, one row per "
                                     "sample",
                                     shape_text(entry.array.shape()), name(entry.array.dtype())));
    } else if (!rows_fit(entry.file, labelled_split(where.split, where.name), first.rows())) {
      return;
    }
    if (where.part == Part::outputs && models.front().has(where.split)) {
      return add_finding(
          Severity::error, entry.file,
          fmt::format("gives split {} of this model a second time: {}/{} without a "
                      "model folder means model 0; remove one of the two",
                      where.split, where.method.empty() ? where.role : where.method, where.split));
    }
    for (std::size_t index = 0; index < models.size(); ++index) {
      Model& model = models[index];
      Array& target = where.part == Part::outputs    ? model.outputs[where.split]
                      : where.part == Part::saliency ? model.saliency[where.split]
                                                     : model.activations[where.layer][where.split];
      target = slices ? entry.array.slice(index) : entry.array;
    }
  }

  /// Who was trained on what: [n] of one model, [k, n] of a stacked pool.
  void add_members(const Entry& entry, std::size_t stacked, std::vector<Model>& models) {
    const Array& all = entry.array;
    const bool fits = is_integer(all.dtype()) && all.rank() == (stacked == 0 ? 1U : 2U) &&
                      (stacked == 0 || all.rows() == stacked);
    if (!fits) {
      return add_finding(Severity::error, entry.file,
                         fmt::format("has shape {} and type {}: give one whole number per row (and "
                                     "model of a pool), 1 where it was trained on the row, else 0",
                                     shape_text(all.shape()), name(all.dtype())));
    }
    if (!rows_fit(entry.file, entry.place.split, all.shape().back())) return;
    for (const std::int64_t value : all.integers()) {
      if (value == 0 || value == 1) continue;
      return add_finding(Severity::error, entry.file,
                         fmt::format("holds {}: give 1 where the model was trained on the row, "
                                     "else 0",
                                     value));
    }
    for (std::size_t index = 0; index < models.size(); ++index) {
      models[index].members[entry.place.split] = stacked == 0 ? all : all.slice(index);
    }
  }

  void add_grad_cam(const Entry& entry, std::vector<Model>& models) {
    if (entry.array.rank() != 3 || !is_floating(entry.array.dtype()) || models.size() != 1) {
      return add_finding(Severity::error, entry.file,
                         fmt::format("has shape {} and type {}: Grad-CAM maps are floats, [rows, "
                                     "height, width] of one model",
                                     shape_text(entry.array.shape()), name(entry.array.dtype())));
    }
    if (rows_fit(entry.file, entry.place.split, entry.array.rows())) {
      models[0].grad_cam[entry.place.split] = entry.array;
    }
  }

  Group& group_of(const std::string& role, const std::string& method) {
    for (Group& group : reading_.evidence.groups) {
      if (group.role == role && group.method == method) return group;
    }
    reading_.evidence.groups.push_back({role, method, {}});
    return reading_.evidence.groups.back();
  }

  void settle_kind() {
    Evidence& evidence = reading_.evidence;
    if (settings_.kind) {
      evidence.kind_declared = true;
      evidence.kind = *settings_.kind == "probabilities"       ? OutputKind::probabilities
                      : *settings_.kind == "log_probabilities" ? OutputKind::log_probabilities
                                                               : OutputKind::logits;
      return;
    }
    std::map<OutputKind, std::string> seen;
    for (const Group& group : evidence.groups) {
      for (const Model& model : group.models) {
        for (const auto& [split, outputs] : model.outputs) {
          const OutputKind kind = detect_kind(outputs);
          // A diverged model says NaN everywhere, which is no kind; the checks report it.
          if (seen.count(kind) > 0 || find_non_finite(outputs).items == outputs.size()) continue;
          seen.emplace(kind, file_of(evidence, model.folder + "/" + split));
        }
      }
    }
    if (seen.empty()) return;
    const auto probabilities = seen.find(OutputKind::probabilities);
    if (probabilities != seen.end() && seen.size() > 1) {
      const auto& other =
          seen.begin()->first == OutputKind::probabilities ? *seen.rbegin() : *seen.begin();
      add_finding(Severity::error, "",
                  fmt::format("{} looks like probabilities, {} like {}: export one kind for all "
                              "models, or say kind = \"...\" in evidence.toml",
                              probabilities->second, other.second, name(other.first)));
      return;
    }
    // Log-probabilities are valid logits, so a mixture of the two is read as logits.
    evidence.kind = seen.size() > 1 ? OutputKind::logits : seen.begin()->first;
  }

  void check_labels_exist() {
    std::set<std::string> reported;
    for (const Group& group : reading_.evidence.groups) {
      for (const Model& model : group.models) {
        for (const auto& [split, outputs] : model.outputs) {
          // Shadow-calibrated rows are the calibration rows, so they share its labels.
          if (split == "calibration_shadow" || split == "calibration_semi_shadow") continue;
          if (reading_.evidence.find_labels(model, split) != nullptr) continue;
          if (!reported.insert(split).second) continue;
          add_finding(Severity::error, file_of(reading_.evidence, model.folder + "/" + split),
                      fmt::format("has no labels: add labels/{}.npy with {} class numbers", split,
                                  outputs.rows()));
        }
      }
    }
  }

  Source source_;
  Settings settings_;
  Reading reading_;
  std::map<ModelKey, ModelFiles, ModelOrder> models_;
  std::map<std::string, std::pair<std::size_t, std::string>> rows_of_split_;
  std::string classes_from_;
};

}  // namespace

Reading read(const std::filesystem::path& path, bool with_hashes) {
  return Reader(path).run(with_hashes);
}

Reading load(const std::filesystem::path& path, bool with_hashes) {
  Reading reading = read(path, with_hashes);
  const std::size_t errors = count(reading.findings, Severity::error);
  for (const Finding& finding : reading.findings) {
    if (finding.severity != Severity::error) continue;
    fail("{}{}", sentence(finding),
         errors == 1
             ? std::string()
             : fmt::format(" ({} more: vestige inspect {} lists all)", errors - 1, path.string()));
  }
  return reading;
}

}  // namespace vestige::evidence
