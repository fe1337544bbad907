// The search for the rows that are hardest to forget (train/hardest.h) as work on a pool, and
// variants whose forget rows are searched for first, as many as their [forget] names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vestige/experiment/experiment_plan.h"
#include "vestige/pool/store.h"
#include "vestige/train/hardest.h"
#include "vestige/train/lab.h"

namespace vestige::experiment {

/// What a search starts from. The original saw all training rows, so it is the variant's own: who
/// is forgotten does not change it.
struct Search {
  std::shared_ptr<const train::Lab> lab;
  train::ModelPlan original;  ///< the first
  std::vector<train::ModelPlan>
      models;  ///< to train: those in its graph, after what they begin with
  train::HardestSettings settings;
  std::string key;  ///< of a variant: all that shapes the answer
};

/// From the first original of a lab. InputError if it has none.
Search plan_search(std::shared_ptr<const train::Lab> lab, const train::HardestSettings& settings);
/// The same for a variant.
Search plan_search(const VariantPlan& variant, const std::string& device,
                   const Context& context = {});

/// The rows, one number a line. The pool must have the original.
std::string search(const Search& search, const pool::Store& store);

/// The variant with the rows that `file` lists.
void use_list(VariantPlan& variant, const std::string& file);

}  // namespace vestige::experiment
