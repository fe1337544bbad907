// The pools of margins of EasyDUB (Rinberg et al. 2025): one .npy file per model and split.
// margins/DATA/pretrain/{retain,val,forget_Z}/ARCHITECTURE/id_X_epoch_E.npy are models of all
// training data, margins/DATA/oracle/forget_Z/{retain,val,forget}/... retrained ones, and
// forget_sets/DATA/forget_set_Z.npy holds the places of forget examples in the training data.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "vestige/base/error.h"
#include "vestige/evidence/formats/npy.h"
#include "vestige/evidence/layout.h"
#include "vestige/import/import.h"
#include "vestige/import/log_roles.h"

namespace vestige::importing {
namespace {

namespace fs = std::filesystem;
using result::Code;

struct NaturalOrder {
  bool operator()(const std::string& left, const std::string& right) const {
    return evidence::natural_less(left, right);
  }
};
using ByModel = std::map<std::string, fs::path, NaturalOrder>;  // "17" -> its file

/// "17" of id_17_epoch_23.npy.
std::string model_of_file(const fs::path& file) {
  const std::string name = file.filename().string();
  if (!name.starts_with("id_") || !name.ends_with(".npy")) return {};
  const std::string id = name.substr(3, name.size() - 3 - 4);
  return id.substr(0, id.find('_'));
}

/// The files of all models of a split, in no or one folder of an architecture.
ByModel files_below(const fs::path& folder) {
  ByModel files;
  std::error_code fault;
  require(fs::is_directory(folder, fault),
          "{}: is no folder: give the EasyDUB folder that holds margins/ and forget_sets/, and a "
          "--forget-set that it has",
          folder.string());
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string id = model_of_file(entry.path());
    if (id.empty()) continue;
    const auto [known, is_new] = files.emplace(id, entry.path());
    require(is_new, "{} and {} are both of model {}: keep one architecture and epoch",
            known->second.string(), entry.path().string(), id);
  }
  require(!files.empty(), "{}: has no id_MODEL_epoch_EPOCH.npy: the download is not complete",
          folder.string());
  return files;
}

/// The one folder below `folder`: "cifar10".
std::string data_set(const fs::path& folder) {
  std::error_code fault;
  require(fs::is_directory(folder, fault),
          "{}: is no folder: give the EasyDUB folder that holds margins/ and forget_sets/",
          folder.string());
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  require(names.size() == 1, "{}: has {} folders of data sets, one is read: remove the others",
          folder.string(), names.size());
  return names.front();
}

std::vector<double> margins_of(const fs::path& file) {
  const evidence::Array array = evidence::read_npy(file);
  const bool column = array.rank() == 2 && array.cols() == 1;
  require(evidence::is_floating(array.dtype()) && (array.rank() == 1 || column),
          "{}: has shape {} of {}: margins are one number per example, [examples]", file.string(),
          evidence::shape_text(array.shape()), evidence::name(array.dtype()));
  std::vector<double> values = array.doubles();
  for (std::size_t row = 0; row < values.size(); ++row) {
    require(std::isfinite(values[row]),
            "{}: example {} has the margin {}: a model that diverged gives NaN; leave it out for "
            "all splits",
            file.string(), row, values[row]);
  }
  return values;
}

class EasyDub {
 public:
  EasyDub(const fs::path& root, const ImportOptions& options)
      : root_(root), data_(data_set(root / "margins")), options_(options) {
    require(!options.forget.empty() &&
                std::all_of(options.forget.begin(), options.forget.end(),
                            [](char digit) { return digit >= '0' && digit <= '9'; }),
            "--forget-set {}: give the number of a forget set: 1", options.forget);
    const fs::path file =
        root / "forget_sets" / data_ / fmt::format("forget_set_{}.npy", options.forget);
    std::error_code ignored;
    require(fs::exists(file, ignored), "{} does not exist: give a --forget-set that is there",
            file.string());
    const std::vector<std::int64_t> places = evidence::read_npy(file).integers();
    forget_.insert(places.begin(), places.end());
    require(forget_.size() == places.size(), "{}: has a place twice: download it again",
            file.string());
  }

  Imported run() {
    const fs::path base = root_ / "margins" / data_;
    const std::string set = "forget_" + options_.forget;
    const fs::path oracle = base / "oracle" / set;
    const fs::path pretrain = base / "pretrain";
    // Retrained models first: their retain set says how many examples the others must have.
    add("retrained",
        {{"forget", oracle / "forget"}, {"retain", oracle / "retain"}, {"test", oracle / "val"}});
    add("original",
        {{"forget", pretrain / set}, {"retain", pretrain / "retain"}, {"test", pretrain / "val"}});
    for (const RoleMap& map : parse_map(options_.map, root_)) {
      require(map.role.role.starts_with("unlearned/") && map.role.name.empty(),
              "--map {}: only unlearned/METHOD=PATH is needed, the other models are found",
              map.role.role);
      add(map.role.role, {{"forget", map.path / "forget"},
                          {"retain", map.path / "retain"},
                          {"test", map.path / "val"}});
    }
    for (const auto& [split, rows] : rows_) {
      std::vector<std::int64_t> labels(rows);
      for (std::size_t row = 0; row < rows; ++row) labels[row] = right_class(row);
      out_.draft.put("labels/" + split, std::move(labels));
    }
    out_.draft.set("kind", "logits");
    out_.remarks.push_back(result::reason(Code::margins_as_binary_outputs));
    return std::move(out_);
  }

 private:
  /// Examples are called class 0 and class 1 in turn. With one class for all, every model would
  /// look as if it always gave the same answer.
  static std::int64_t right_class(std::size_t row) { return static_cast<std::int64_t>(row % 2); }

  void add(const std::string& role, const std::map<std::string, fs::path>& folders) {
    std::map<std::string, ByModel> splits;
    for (const auto& [split, folder] : folders) splits[split] = files_below(folder);
    std::size_t added = 0;
    for (const auto& [id, file] : splits.at("forget")) {
      if (options_.models > 0 && added++ == options_.models) break;
      for (const auto& [split, files] : splits) {
        const auto found = files.find(id);
        require(found != files.end(), "{}: has no model {}, and {} has: download all splits",
                folders.at(split).string(), id, file.string());
        put(fmt::format("{}/{}", role, id), split, found->second);
      }
    }
  }

  void put(const std::string& model, const std::string& split, const fs::path& file) {
    std::vector<double> values = margins_of(file);
    const auto known = rows_.try_emplace(split, values.size()).first;
    // The retain files of models of all data hold the forget examples too.
    if (split == "retain" && values.size() == known->second + forget_.size()) {
      std::vector<double> kept;
      for (std::size_t row = 0; row < values.size(); ++row) {
        if (forget_.count(static_cast<std::int64_t>(row)) == 0) kept.push_back(values[row]);
      }
      values = std::move(kept);
    }
    require(values.size() == known->second,
            "{}: has {} examples, and other models have {} of {}: were they retrained for another "
            "forget set?",
            file.string(), values.size(), known->second, split);
    require(
        split != "forget" || values.size() == forget_.size(),
        "{}: has {} examples, and forget set {} has {}: give the --forget-set that these models "
        "are of",
        file.string(), values.size(), options_.forget, forget_.size());
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (right_class(row) == 0) values[row] = -values[row];  // the logit of class 1
    }
    out_.splits.push_back({file.string(), model, split, values.size()});
    out_.draft.put(model + "/" + split, std::move(values));
  }

  fs::path root_;
  std::string data_;
  const ImportOptions& options_;
  std::set<std::int64_t> forget_;
  std::map<std::string, std::size_t> rows_;
  Imported out_;
};

}  // namespace

Imported easydub(const fs::path& root, const ImportOptions& options) {
  return EasyDub(root, options).run();
}

}  // namespace vestige::importing
