// A recipe at work: its data and split in memory, and what each model of its pool is. No LibTorch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/data/dataset.h"
#include "vestige/data/splits/split.h"
#include "vestige/pool/job.h"
#include "vestige/train/recipe.h"

namespace vestige::train {

struct Lab {
  explicit Lab(std::shared_ptr<const data::Dataset> loaded)
      : dataset(std::move(loaded)), data(*dataset) {}

  Recipe recipe;
  std::string device = "cpu";  ///< cpu or cuda
  Context context;             ///< threads of loops that are not LibTorch's, and progress
  std::shared_ptr<const data::Dataset> dataset;
  const data::Dataset& data;  ///< the same; rows of other sets that [shadow] or [dynamic] name come
                              ///< behind its own
  data::Split split;
  std::vector<std::int64_t> added;  ///< rows of train that came later ([dynamic]); ascending
};

/// Loads data and makes the split. Labs of one process with the same [data] (and the
/// same rows of [dynamic] and [shadow]) share it in memory.
std::shared_ptr<const Lab> open_lab(Recipe recipe, std::string device, const Context& context = {});

/// Row numbers that many plans share: the competition's 20,480 originals have one list.
class SharedRows {
 public:
  SharedRows() = default;
  explicit SharedRows(std::vector<std::int64_t> rows)
      : rows_(std::make_shared<const std::vector<std::int64_t>>(std::move(rows))) {}
  explicit SharedRows(std::shared_ptr<const std::vector<std::int64_t>> rows)
      : rows_(std::move(rows)) {}

  const std::vector<std::int64_t>& list() const { return *rows_; }
  std::shared_ptr<const std::vector<std::int64_t>> held() const { return rows_; }
  std::size_t size() const { return rows_->size(); }
  auto begin() const { return rows_->begin(); }
  auto end() const { return rows_->end(); }
  bool operator==(const SharedRows& other) const { return list() == other.list(); }

 private:
  std::shared_ptr<const std::vector<std::int64_t>> rows_ =
      std::make_shared<const std::vector<std::int64_t>>();
};

/// One model to be trained.
struct ModelPlan {
  /// original, retrained, shadow, shadow_whole, random, partial/25, membership, verification,
  /// graded, before, calibration_original, features
  std::string role;
  std::int64_t index = 0;
  std::uint64_t seed = 0;
  SharedRows rows;
  TrainSettings train;
  Json model;               ///< [model] in force
  std::int64_t copies = 1;  ///< models in its graph
  std::string start;        ///< pool name of the model whose weights it begins with; empty: fresh
  pool::Identity identity;

  std::string label() const { return identity.label; }
};

/// All models that the recipe's [pool] asks for, in the order original, retrained, ...
std::vector<ModelPlan> plan(const Lab& lab);

/// The seed of model `index` of a role: a draw from (recipe seed, "model/" + role, index).
std::uint64_t model_seed(std::uint64_t seed, const std::string& role, std::int64_t index);

}  // namespace vestige::train
