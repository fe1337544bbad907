// Conducts a recipe of the language lab from its texts to its page. No LibTorch.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "vestige/experiment/crew.h"
#include "vestige/language/recipe.h"

namespace vestige::language {

struct ExperimentSettings {
  std::filesystem::path path{};
  Json recipe{};
  PlanRequest request{};
  std::string out{};  ///< folder; empty: out/NAME-SIZE
  std::string device = "cpu";
  std::string command{};
  bool quiet = false, full = false, print_json = false, force = false;
  bool dry_run = false;  ///< lists what would be made, and stops
};

/// Everything: models, answers, evidence, audits, findings, page. Returns the exit code: 0, or the
/// crew's if a job failed.
int conduct(const ExperimentSettings& settings, const experiment::Crew& crew);

}  // namespace vestige::language
