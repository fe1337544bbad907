// A temporary evidence folder for tests: sound evidence made of random logits, to be spoilt on
// purpose, and the same arrays as .npz and .safetensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support.h"
#include "vestige/evidence/formats/array.h"

namespace vestige::testing {

/// Values as an array of any floating or integer type, rounded to it.
evidence::Array array_of(evidence::DType dtype, const std::vector<double>& values,
                         std::vector<std::size_t> shape);

/// What every model of sound evidence answers.
inline const std::vector<std::string> kSplits = {"forget", "retain", "test", "calibration"};

/// How much sound evidence holds.
struct EvidenceShape {
  std::size_t classes = 10;
  std::size_t models = 2;       ///< models of original, retrained and each method
  std::size_t shadows = 1;      ///< shadow models
  std::size_t forget = 40;      ///< rows
  std::size_t retain = 80;      ///< rows
  std::size_t test = 50;        ///< rows; calibration has as many
  double memory = 4;            ///< how much surer the original is of rows that it was trained on
  std::size_t activations = 0;  ///< width of activations/penultimate of every model; 0: none
  bool untrained = false;       ///< adds random/0, which predicts at chance
  std::vector<std::string> methods = {"finetune", "nothing"};
  std::uint64_t seed = 1;
};

/// An evidence folder; every write goes to disk at once, and all goes away at the end.
class EvidenceFolder {
 public:
  /// An empty folder.
  EvidenceFolder() = default;
  /// Sound evidence, float32 logits: labels, original, retrained, unlearned/METHOD and shadow on
  /// forget, retain, test and calibration (shadow: shadow_train too). Originals (and the method
  /// "nothing") are surer of forget and retain rows, retrained models of retain rows only, other
  /// methods lie in between.
  explicit EvidenceFolder(const EvidenceShape& shape);

  std::filesystem::path path() const { return folder_.path() / "evidence"; }
  std::filesystem::path operator/(std::string_view name) const { return path() / name; }

  /// Writes KEY.npy.
  void put(const std::string& key, const evidence::Array& array);
  void put_labels(const std::string& split, std::vector<std::int64_t> labels);
  /// Writes any file, for example evidence.toml or a broken .npy.
  void put_file(const std::string& file, std::string_view content);
  void remove(const std::string& key);
  /// Every array below a folder, for example of a group or of one model.
  void remove_below(const std::string& folder);
  /// What a model says, as another model's answers too.
  void copy_model(const std::string& from, const std::string& to);
  /// Changes the values of an array in place; the type stays.
  void change(const std::string& key, const std::function<void(std::vector<double>&)>& action);
  const evidence::Array& array(const std::string& key) const { return arrays_.at(key); }
  const std::map<std::string, evidence::Array>& arrays() const { return arrays_; }

  /// The arrays as one archive beside the folder; .npz also holds the files of put_file.
  std::filesystem::path write_npz() const;
  std::filesystem::path write_safetensors() const;

 private:
  void put_model(const std::string& folder, const EvidenceShape& shape, double forget_memory,
                 double retain_memory, std::uint64_t index);

  TemporaryFolder folder_;
  std::map<std::string, evidence::Array> arrays_;
  std::map<std::string, std::string> files_;
};

}  // namespace vestige::testing
