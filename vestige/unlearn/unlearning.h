// Unlearning as pool jobs: one per original, method and seed. No LibTorch in this header.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vestige/pool/job.h"
#include "vestige/pool/store.h"
#include "vestige/train/lab.h"
#include "vestige/unlearn/registry.h"

namespace vestige::unlearn {

/// [unlearn] of a recipe.
struct UnlearnSettings {
  std::int64_t seeds = 1;       ///< runs of each method on each original
  double cutoff = 0.2;          ///< seconds over retraining's seconds (competition)
  bool enforce_cutoff = false;  ///< true: a method that exceeds it fails
  bool history = false;         ///< accuracies after each epoch, in the model's facts
};

/// One unlearned model.
struct UnlearnPlan {
  MethodChoice method;
  std::int64_t original = 0;  ///< index of the original
  std::int64_t run = 0;       ///< which of the seeds
  pool::Identity identity;
  std::string name;  ///< in the evidence: the original's index, or index.run
  /// Empty, or what the model is for instead (conformal paper, D.5): "calibration_shadow" forgets
  /// the calibration rows from a model that was trained on them too, "calibration_semi_shadow" from
  /// the original itself. Such a model is no unlearned model of the evidence.
  std::string purpose;
};

UnlearnSettings read_unlearn(const train::Recipe& recipe);

/// The methods that the recipe names, or those of `only` (names, or labels of the recipe).
std::vector<MethodChoice> chosen_methods(const train::Recipe& recipe,
                                         const std::vector<std::string>& only);

/// Every (original, method, seed) of the recipe. Checks what methods need before anything starts.
std::vector<UnlearnPlan> plan_unlearning(const train::Lab& lab,
                                         const std::vector<train::ModelPlan>& models,
                                         const std::vector<MethodChoice>& methods);

/// Jobs that need the originals (and, for the cost ratio, a retrained model) in the store.
std::vector<pool::Job> unlearning_jobs(std::shared_ptr<const train::Lab> lab,
                                       const std::vector<train::ModelPlan>& models,
                                       const std::vector<UnlearnPlan>& plans,
                                       std::shared_ptr<pool::Store> store);

}  // namespace vestige::unlearn
