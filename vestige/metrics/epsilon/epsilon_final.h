// The final score: F times the accuracies relative to retrained (competition paper, Equation 2),
// of a whole pool and of every experiment of a setup.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "vestige/metrics/epsilon/epsilon_rows.h"
#include "vestige/metrics/epsilon/epsilon_setups.h"

namespace vestige::metrics {

/// Accuracy of every model of a comparison.
struct ModelAccuracies {
  std::vector<double> unlearned_retain;
  std::vector<double> unlearned_test;
  std::vector<double> retrained_retain;
  std::vector<double> retrained_test;
  std::vector<std::string> missing;  ///< unknown accuracies, as "retrained/test"
};
ModelAccuracies model_accuracies(const EpsilonPools& pools);

/// The final score of the whole pool, from its row of F.
Row final_score_row(const EpsilonPools& pools, const Row& forget);

/// One final score for each experiment: its F times the accuracy ratios of its own models
/// (Algorithm 1: means over the N models of the experiment).
std::vector<double> final_scores(std::span<const double> forget, std::span<const ModelGroup> groups,
                                 const ModelAccuracies& accuracies);

}  // namespace vestige::metrics
