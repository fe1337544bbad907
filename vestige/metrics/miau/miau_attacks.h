// The pair attacks of one request: every model on the same subsamples and splits, seed by seed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "vestige/evidence/evidence.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/inputs/attack_features.h"
#include "vestige/metrics/learn/pair_attack.h"
#include "vestige/metrics/miau/miau.h"

namespace vestige::metrics {

struct MiauSettings {
  std::size_t seeds = 20;  ///< attack seeds; the reliability rule needs at least 20
  MiauOptions score;
  AttackFeatures features = AttackFeatures::softmax;
  AttackClassifier classifier = AttackClassifier::logistic;
  std::uint64_t seed = 1;

  /// "logistic on softmax"
  std::string attack() const;
};

/// What the attacks found on one model.
struct AttackedModel {
  std::array<std::vector<double>, 4> accuracy;  ///< per task and seed, in per cent; empty: not run
  std::array<std::size_t, 4> rows{};            ///< rows of both sides that take part
  std::array<std::string, 4> missing;           ///< per task: why it was not run
  bool constant = false;                        ///< the model says the same about every row

  bool ran(std::size_t task) const { return !accuracy[task].empty(); }
  /// All three scored tasks ran.
  bool complete() const { return ran(0) && ran(1) && ran(2); }
};

/// Attacks one model on its own: what is found depends on the model's rows and the settings only,
/// so that it may be kept for every comparison that the model takes part in.
AttackedModel attack_model(const evidence::Evidence& evidence, const evidence::Model& model,
                           const MiauSettings& settings);

using AttackedModels = std::map<const evidence::Model*, AttackedModel>;

/// Attacks every model once. Draws depend on seed, task and split sizes only, so models with the
/// same rows have the same.
AttackedModels attack_models(const evidence::Evidence& evidence, const Models& models,
                             const MiauSettings& settings);

/// Score per attack seed; all three models must be complete.
std::vector<MiauScore> scores_by_seed(const AttackedModel& original, const AttackedModel& retrained,
                                      const AttackedModel& unlearned, const MiauOptions& options);

}  // namespace vestige::metrics
