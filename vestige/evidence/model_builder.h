// From the arrays of evidence to its models: what belongs to one model, what a stacked pool holds,
// and whether rows, columns and types fit together.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "vestige/evidence/layout.h"
#include "vestige/evidence/reader.h"
#include "vestige/evidence/settings.h"

namespace vestige::evidence {

/// One array with the place it belongs to.
struct Entry {
  Place place;
  std::string file;
  Array array;
};

inline const std::vector<std::string> kFloats = {"float16", "float32", "float64"};
inline const std::vector<std::string> kIntegers = {"integer"};

/// An array has another shape or type than it must have.
Reason wrong_array(const Array& array, std::vector<std::string> shapes,
                   std::vector<std::string> types, Reason hint = {});

/// Gathers arrays and then builds the models of `reading`; whatever does not fit becomes a finding
/// there and is left out. Labels must be in the reading before `rows_fit` and `finish` are called.
class ModelBuilder {
 public:
  ModelBuilder(const Settings& settings, Reading& reading)
      : settings_(settings), reading_(reading) {}

  /// Keeps an array of a model until `finish`.
  void add(Entry entry);

  /// Labels decide how many rows a split has; without them the first array does. False, with a
  /// finding about the entry, if `rows` is another number.
  bool rows_fit(const Entry& entry, const std::string& split, std::size_t rows);

  /// Builds all models, in the order of roles, methods and names.
  void finish();

 private:
  /// The files of one model folder, before a stacked pool is taken apart.
  using ModelKey = std::tuple<std::string, std::string, std::string>;  // role, method, name
  using ModelFiles = std::vector<Entry>;
  struct ModelOrder {
    bool operator()(const ModelKey& left, const ModelKey& right) const;
  };

  void add_error(const char* code, const Entry& entry, Reason why);
  /// Outputs with one column are those of a binary model: two columns are made of them.
  void widen_binary_outputs();
  /// The split whose labels a file's rows have: a model may have rows of its own
  /// (labels/shadow_train.0.npy for shadow/0/shadow_train.npy).
  std::string labelled_split(const std::string& split, const std::string& model) const;
  bool outputs_fit(const Entry& entry, const Array& outputs);
  void add_models(const ModelKey& key, const ModelFiles& files);
  /// Adds one array to its model, or to each model of a stacked pool.
  void add_entry(const Entry& entry, std::size_t stacked, std::vector<Model>& models);
  /// Who was trained on what: [n] of one model, [k, n] of a stacked pool.
  void add_members(const Entry& entry, std::size_t stacked, std::vector<Model>& models);
  /// Of models trained with fixed batches.
  void add_batches(const Entry& entry, std::vector<Model>& models);
  void add_grad_cam(const Entry& entry, std::vector<Model>& models);
  /// Token arrays: [tokens] of one model, [k, tokens] of a stacked pool; offsets may be shared.
  void add_tokens(const Entry& entry, std::size_t stacked, std::vector<Model>& models);
  /// One number per row, and of other answers some per row; [k, ...] of a stacked pool.
  void add_losses(const Entry& entry, std::size_t stacked, std::vector<Model>& models);
  /// One number per example by another program; [k, n] of a stacked pool.
  void add_scores(const Entry& entry, std::size_t stacked, std::vector<Model>& models);
  /// A row of options per multiple-choice question; [k, n, options] of a stacked pool.
  void add_choices(const Entry& entry, std::size_t stacked, std::vector<Model>& models);
  Group& group_of(const std::string& role, const std::string& method);

  const Settings& settings_;
  Reading& reading_;
  std::map<ModelKey, ModelFiles, ModelOrder> models_;
  std::map<std::string, std::pair<std::size_t, std::string>> rows_of_split_;
  std::string classes_from_;
};

}  // namespace vestige::evidence
