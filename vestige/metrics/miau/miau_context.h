// What the rows of one MIAU comparison draw on: who plays which part, and the attacks on them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "vestige/metrics/family.h"
#include "vestige/metrics/miau/miau_attacks.h"

namespace vestige::metrics {

/// Who plays which part for one model.
struct MiauParts {
  const evidence::Model* original = nullptr;
  const evidence::Model* retrained = nullptr;
};

MiauParts parts_of(const Comparison& comparison, const evidence::Model& model);

/// Everything that one measurement needs.
struct MiauContext {
  const Comparison& comparison;
  const Request& request;
  MiauSettings settings;
  MiauParts parts;
  const AttackedModels& common;  ///< originals, retrained and graded models, attacked once
  AttackedModels own;

  /// nullptr for none; the model must have been attacked.
  const AttackedModel* find(const evidence::Model* model) const;
};

/// A task on which the attack cannot tell original from retrained.
struct TaskNoise {
  Reason brief;  ///< the task and both accuracies
  Reason full;   ///< ... and the interval of their difference
};

/// Nothing if the task tells original from retrained, or if there is nothing to compare.
std::optional<TaskNoise> noise_of(const MiauContext& context, std::size_t task);

/// Scores of a model by attack seed, as many as values come from.
std::vector<MiauScore> scores_of(const MiauContext& context, const evidence::Model& model,
                                 const MiauParts& parts);

/// The scores alone.
std::vector<double> totals(const std::vector<MiauScore>& scores);

}  // namespace vestige::metrics
