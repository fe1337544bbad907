// Building models out of arrays.
#include "vestige/evidence/model_builder.h"

#include <algorithm>

#include "vestige/base/error.h"
#include "vestige/evidence/binary.h"

namespace vestige::evidence {
namespace {

std::string folder_of(const Entry& entry) {
  std::string file = entry.file;
  const int up = entry.place.part == Part::outputs       ? 1
                 : entry.place.part == Part::activations ? 3
                 : entry.place.part == Part::scores      ? 3
                                                         : 2;
  for (int level = 0; level < up; ++level) file.resize(file.rfind('/'));
  return file;
}

bool is_about_answers(const std::string& key) {
  return key.ends_with(".paraphrased") || key.ends_with(".perturbed");
}

/// Outputs [k, n, C], token arrays [k, tokens] and losses [k, n] of a pool.
bool stacks_models(const Entry& entry) {
  if (entry.place.part == Part::outputs) return entry.array.rank() == 3;
  const bool several = entry.array.rank() == 2 && entry.array.rows() > 1;
  if (entry.place.part == Part::losses) return several && !is_about_answers(entry.place.split);
  return entry.place.part == Part::tokens && several;
}

}  // namespace

Reason wrong_array(const Array& array, std::vector<std::string> shapes,
                   std::vector<std::string> types, Reason hint) {
  return reason(Code::wrong_array, shape_text(array.shape()), name(array.dtype()),
                std::move(shapes), std::move(types), std::move(hint));
}

bool ModelBuilder::ModelOrder::operator()(const ModelKey& left, const ModelKey& right) const {
  const auto& [role, method, name] = left;
  const auto& [other_role, other_method, other_name] = right;
  if (role != other_role) return role_order(role) < role_order(other_role);
  if (method != other_method) return natural_less(method, other_method);
  return natural_less(name, other_name);
}

void ModelBuilder::add(Entry entry) {
  const Place& where = entry.place;
  models_[{where.role, where.method, where.name}].push_back(std::move(entry));
}

void ModelBuilder::finish() {
  widen_binary_outputs();
  for (const auto& [key, files] : models_) add_models(key, files);
}

void ModelBuilder::add_error(const char* code, const Entry& entry, Reason why) {
  reading_.findings.push_back(
      {Severity::error, entry.file, std::move(why), code, model_id(entry.place)});
}

std::string ModelBuilder::labelled_split(const std::string& split, const std::string& model) const {
  const std::string own = split + "." + model;
  return reading_.evidence.labels.count(own) > 0 ? own : split;
}

bool ModelBuilder::rows_fit(const Entry& entry, const std::string& split, std::size_t rows) {
  const auto labels = reading_.evidence.labels.find(split);
  if (labels != reading_.evidence.labels.end()) {
    if (rows == labels->second.size()) return true;
    add_error("E-ROWS", entry,
              reason(Code::rows_differ, rows, "labels/" + split, labels->second.size()));
    return false;
  }
  const auto [known, is_new] = rows_of_split_.try_emplace(split, rows, entry.file);
  if (is_new || known->second.first == rows) return true;
  add_error("E-ROWS", entry,
            reason(Code::rows_differ, rows, known->second.second, known->second.first));
  return false;
}

bool ModelBuilder::outputs_fit(const Entry& entry, const Array& outputs) {
  const bool floating = is_floating(outputs.dtype());
  if (!floating || outputs.rank() != 2) {
    add_error("E-SHAPE", entry,
              wrong_array(entry.array, {"[examples, classes]", "[models, examples, classes]"},
                          kFloats, floating ? Reason() : Code::export_logits));
    return false;
  }
  std::size_t& classes = reading_.evidence.classes;
  if (classes == 0) {
    classes = settings_.classes.value_or(outputs.cols());
    if (classes == 1) classes = outputs.cols();  // one column was said, and two were made of it
    classes_from_ = settings_.classes ? "evidence.toml" : entry.file;
  }
  if (outputs.cols() != classes) {
    add_error("E-SHAPE", entry,
              reason(Code::columns_differ, outputs.cols(), classes_from_, classes));
    return false;
  }
  if (classes < 2) {
    add_error("E-SHAPE", entry, Code::one_column);
    return false;
  }
  return rows_fit(entry, labelled_split(entry.place.split, entry.place.name), outputs.rows());
}

void ModelBuilder::widen_binary_outputs() {
  std::vector<Entry*> found;
  for (auto& [key, files] : models_) {
    for (Entry& entry : files) {
      if (entry.place.part != Part::outputs) continue;
      if (has_one_column(entry.array)) {
        found.push_back(&entry);
      } else if (entry.array.rank() > 1 && entry.array.shape().back() > 2) {
        return;  // not binary: whoever has one column exported something else
      }
    }
  }
  if (found.empty()) return;
  OutputKind kind = OutputKind::logits;
  if (settings_.kind) {
    kind = kind_named(*settings_.kind);
  } else if (std::all_of(found.begin(), found.end(),
                         [](const Entry* entry) { return within_zero_and_one(entry->array); })) {
    kind = OutputKind::probabilities;
  }
  for (Entry* entry : found) entry->array = two_columns(entry->array, kind);
  reading_.findings.push_back(
      {Severity::note, found.front()->file,
       reason(Code::binary_outputs, found.size() - 1, name(kind), settings_.kind.has_value()),
       "N-BINARY", ""});
}

void ModelBuilder::add_models(const ModelKey& key, const ModelFiles& files) {
  const auto& [role, method, name] = key;
  std::size_t stacked = 0;
  for (const Entry& entry : files) {
    if (!stacks_models(entry)) continue;
    if (stacked != 0 && stacked != entry.array.shape()[0]) {
      add_error("E-SHAPE", entry,
                reason(Code::pool_differs, shape_text(entry.array.shape()), stacked));
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

void ModelBuilder::add_entry(const Entry& entry, std::size_t stacked, std::vector<Model>& models) {
  const Place& where = entry.place;
  if (where.part == Part::tokens) return add_tokens(entry, stacked, models);
  if (where.part == Part::losses || where.part == Part::generated) {
    return add_losses(entry, stacked, models);
  }
  if (where.part == Part::scores) return add_scores(entry, stacked, models);
  if (where.part == Part::choices) return add_choices(entry, stacked, models);
  if (where.part == Part::members) return add_members(entry, stacked, models);
  if (where.part == Part::batches) return add_batches(entry, models);
  if (where.part == Part::grad_cam) return add_grad_cam(entry, models);
  // Activations of a pool are stacked like its outputs; [n, h, w] of one model is not a stack.
  const bool slices = stacked != 0 && entry.array.rank() >= 3 && entry.array.rows() == stacked;
  const Array first = slices ? entry.array.slice(0) : entry.array;
  if (where.part == Part::outputs) {
    if (stacked != 0 && !slices) {
      return add_error("E-SHAPE", entry,
                       reason(Code::pool_differs, shape_text(entry.array.shape()), stacked));
    }
    if (!outputs_fit(entry, first)) return;
  } else if (first.rank() < 2 || !is_floating(first.dtype())) {
    return add_error("E-SHAPE", entry, wrong_array(entry.array, {"[examples, ...]"}, kFloats));
  } else if (!rows_fit(entry, labelled_split(where.split, where.name), first.rows())) {
    return;
  }
  if (where.part == Part::outputs && models.front().has(where.split)) {
    const std::string group = where.method.empty() ? where.role : where.role + "/" + where.method;
    return add_error("E-TWICE", entry,
                     reason(Code::split_given_twice, where.split, group + "/" + where.split));
  }
  for (std::size_t index = 0; index < models.size(); ++index) {
    Model& model = models[index];
    Array& target = where.part == Part::outputs    ? model.outputs[where.split]
                    : where.part == Part::saliency ? model.saliency[where.split]
                                                   : model.activations[where.layer][where.split];
    target = slices ? entry.array.slice(index) : entry.array;
  }
}

void ModelBuilder::add_tokens(const Entry& entry, std::size_t stacked, std::vector<Model>& models) {
  const bool slices = stacked != 0 && entry.array.rank() == 2 && entry.array.rows() == stacked;
  for (std::size_t index = 0; index < models.size(); ++index) {
    models[index].tokens[entry.place.split] = slices ? entry.array.slice(index) : entry.array;
  }
}

void ModelBuilder::add_losses(const Entry& entry, std::size_t stacked, std::vector<Model>& models) {
  const std::string& key = entry.place.split;
  const bool rouge = entry.place.part == Part::generated;
  const std::string suffix = ".rouge_l";
  if (rouge && !key.ends_with(suffix)) {
    const std::vector<std::string> paths = {"MODEL/generated/SPLIT.txt",
                                            "MODEL/generated/SPLIT.rouge_l.npy"};
    reading_.findings.push_back(
        {Severity::warning, entry.file, reason(Code::path_not_read, paths), "W-NOT-READ"});
    return;
  }
  const bool answers = !rouge && is_about_answers(key);
  const Array first = stacked != 0 ? entry.array.slice(0) : entry.array;
  if (!is_floating(first.dtype()) || first.rank() == 0 || first.rank() > (answers ? 2U : 1U) ||
      (stacked != 0 && entry.array.rows() != stacked)) {
    std::vector<std::string> shapes = {"[examples]"};
    if (answers) shapes.emplace_back("[examples, answers]");
    return add_error("E-SHAPE", entry, wrong_array(first, std::move(shapes), kFloats));
  }
  const std::size_t end = rouge ? key.size() - suffix.size() : key.size();
  const std::string split = answers ? key.substr(0, key.rfind('.')) : key.substr(0, end);
  if (!rows_fit(entry, labelled_split(split, entry.place.name), first.rows())) return;
  for (std::size_t index = 0; index < models.size(); ++index) {
    const Array one = stacked != 0 ? entry.array.slice(index) : entry.array;
    (rouge ? models[index].rouge[split] : models[index].losses[key]) = one;
  }
}

void ModelBuilder::add_scores(const Entry& entry, std::size_t stacked, std::vector<Model>& models) {
  const Array& all = entry.array;
  const bool fits = (is_floating(all.dtype()) || is_integer(all.dtype())) &&
                    all.rank() == (stacked == 0 ? 1U : 2U) &&
                    (stacked == 0 || all.rows() == stacked);
  if (!fits) {
    return add_error(
        "E-SHAPE", entry,
        wrong_array(all, {stacked == 0 ? "[examples]" : "[models, examples]"}, kFloats));
  }
  // A judge may see a part of a split: all models have as many scores, whatever the split has.
  const std::string& name = entry.place.layer;
  const std::string& split = entry.place.split;
  if (!rows_fit(entry, "scores/" + name + "/" + split, all.shape().back())) return;
  for (std::size_t index = 0; index < models.size(); ++index) {
    models[index].scores[name][split] = stacked == 0 ? all : all.slice(index);
  }
}

void ModelBuilder::add_choices(const Entry& entry, std::size_t stacked,
                               std::vector<Model>& models) {
  const Array& all = entry.array;
  const bool fits = is_floating(all.dtype()) && all.rank() == (stacked == 0 ? 2U : 3U) &&
                    all.shape().back() > 1 && (stacked == 0 || all.rows() == stacked);
  if (!fits) {
    const char* shape = stacked == 0 ? "[questions, options]" : "[models, questions, options]";
    return add_error("E-SHAPE", entry, wrong_array(all, {shape}, kFloats));
  }
  const std::string& name = entry.place.split;
  if (!rows_fit(entry, "choices." + name, all.shape()[all.rank() - 2])) return;
  for (std::size_t index = 0; index < models.size(); ++index) {
    models[index].choices[name] = stacked == 0 ? all : all.slice(index);
  }
}

void ModelBuilder::add_members(const Entry& entry, std::size_t stacked,
                               std::vector<Model>& models) {
  const Array& all = entry.array;
  const bool fits = is_integer(all.dtype()) && all.rank() == (stacked == 0 ? 1U : 2U) &&
                    (stacked == 0 || all.rows() == stacked);
  if (!fits) {
    return add_error("E-SHAPE", entry,
                     wrong_array(all, {stacked == 0 ? "[examples]" : "[models, examples]"},
                                 kIntegers, Code::members_are_flags));
  }
  if (!rows_fit(entry, entry.place.split, all.shape().back())) return;
  for (const std::int64_t value : all.integers()) {
    if (value == 0 || value == 1) continue;
    return add_error("E-VALUES", entry,
                     reason(Code::wrong_value, value, Reason(Code::members_are_flags)));
  }
  for (std::size_t index = 0; index < models.size(); ++index) {
    models[index].members[entry.place.split] = stacked == 0 ? all : all.slice(index);
  }
}

void ModelBuilder::add_batches(const Entry& entry, std::vector<Model>& models) {
  if (entry.array.rank() != 1 || !is_integer(entry.array.dtype()) || models.size() != 1) {
    return add_error(
        "E-SHAPE", entry,
        wrong_array(entry.array, {"[examples]"}, kIntegers, Code::batches_are_numbers));
  }
  if (rows_fit(entry, entry.place.split, entry.array.rows())) {
    models[0].batches[entry.place.split] = entry.array;
  }
}

void ModelBuilder::add_grad_cam(const Entry& entry, std::vector<Model>& models) {
  if (entry.array.rank() != 3 || !is_floating(entry.array.dtype()) || models.size() != 1) {
    return add_error("E-SHAPE", entry,
                     wrong_array(entry.array, {"[examples, height, width]"}, kFloats));
  }
  if (rows_fit(entry, entry.place.split, entry.array.rows())) {
    models[0].grad_cam[entry.place.split] = entry.array;
  }
}

Group& ModelBuilder::group_of(const std::string& role, const std::string& method) {
  for (Group& group : reading_.evidence.groups) {
    if (group.role == role && group.method == method) return group;
  }
  reading_.evidence.groups.push_back({role, method, {}});
  return reading_.evidence.groups.back();
}

}  // namespace vestige::evidence
