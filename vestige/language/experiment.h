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

/// Makes, asks and treats the models of a recipe with probes and leaves measuring to `conduct`.
/// `probes` and `methods` (labels; probes also by name) choose among the recipe's, or add probes;
/// empty: all. Returns the crew's exit code; InputError where there is nothing to probe.
int probe_models(const ExperimentSettings& settings, const std::vector<std::string>& methods,
                 const std::vector<std::string>& probes, const experiment::Crew& crew);

}  // namespace vestige::language
