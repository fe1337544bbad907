// The models of a variant by role and by method: what plans and estimates count together.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "vestige/experiment/experiment.h"

namespace vestige::experiment {

/// Models of one role, or runs of one method.
struct PlanGroup {
  std::string kind;                           ///< the first one's counted name
  const train::ModelPlan* model = nullptr;    ///< the first, of a role
  const unlearn::UnlearnPlan* run = nullptr;  ///< the first, of a method
  double count = 0;                           ///< models, or originals that the method is run on
  double runs = 1;                            ///< of the method on each
  double present = 0;                         ///< share of the listed ones that the pool has
};

std::vector<PlanGroup> role_groups(const Variant& variant, pool::Store& store);
std::vector<PlanGroup> method_groups(const Variant& variant, pool::Store& store);

/// Models of each role, those that an outline does not list among them.
std::map<std::string, std::int64_t> model_counts(const Variant& variant);
/// Runs of each method by its label, likewise; shadow calibration's are not among them.
std::map<std::string, std::int64_t> run_counts(const Variant& variant);
/// Runs of all methods, shadow calibration's among them.
std::int64_t all_runs(const Variant& variant);

}  // namespace vestige::experiment
