// The pair attacks of one request: every model on the same subsamples and splits, seed by seed.
#pragma once

#include <algorithm>
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

/// Attack seeds that the reliability rule needs.
inline constexpr std::size_t kFewestJudged = 20;

/// Which forget rows a graded retrain is scored on.
enum class GradedRows {
  removed,  ///< those that it was not trained on (MIAU, Tables 2, 3, 10, 12: see miau.md)
  all       ///< the whole forget set
};
std::string_view name(GradedRows rows);

/// What the attack on a pair of splits is made of.
enum class InnerAttack {
  features,  ///< the paper: a classifier on features of each row
  lira,      ///< a threshold on the scores of LiRA against shadow models
  shadow,    ///< ... of a classifier that was fitted on shadow models
  quantile   ///< ... of quantile regression on the model's own activations
};
std::string_view name(InnerAttack attack);

struct StrongReferences;

struct MiauSettings {
  std::size_t seeds = 20;  ///< attack seeds behind a value; the paper has one per split
  MiauOptions score;
  AttackFeatures features = AttackFeatures::sorted_softmax;
  AttackClassifier classifier = AttackClassifier::logistic;
  InnerAttack inner = InnerAttack::features;  ///< other attacks as B, R and M
  GradedRows graded = GradedRows::removed;
  std::size_t rows = 0;  ///< of a side at most, drawn once for all models; 0: all
  std::uint64_t seed = 1;

  /// Attack seeds on originals and retrained models, whose difference is judged.
  std::size_t judged() const { return std::max(seeds, kFewestJudged); }
  /// "logistic on sorted_softmax", "logistic on lira scores"
  std::string attack() const;
};

/// What the attacks found on one model.
struct AttackedModel {
  std::array<std::vector<double>, 4> accuracy;  ///< per task and seed, in per cent; empty: not run
  std::array<std::size_t, 4> rows{};            ///< rows of both sides that take part
  std::array<Reason, 4> missing;                ///< per task: why it was not run
  bool constant = false;                        ///< the model says the same about every row
  std::size_t forget_rows = 0;                  ///< rows of forget that it is scored on
  bool on_removed = false;                      ///< these are the ones that it was not trained on

  bool ran(std::size_t task) const { return !accuracy[task].empty(); }
  /// All three scored tasks ran.
  bool complete() const { return ran(0) && ran(1) && ran(2); }
};

/// The rows of forget that a graded retrain was not trained on, by its members/forget array; empty
/// if it has none, or if the model is no graded retrain.
std::vector<std::size_t> removed_rows(const evidence::Model& model);

/// What the features of a model take at most, as numbers: rows of all sides and their columns.
struct HeldFeatures {
  std::size_t rows = 0;
  std::size_t columns = 0;
};
HeldFeatures held_features(const evidence::Model& model, const MiauSettings& settings);

/// Attacks one model on its own with the first `seeds` attack seeds: what is found depends on the
/// model's rows and the settings only, so that it may be kept for every comparison that the model
/// takes part in. Train against test is always about the whole training set. `progress` counts the
/// attacks, a step for each task and seed. Attacks other than `features` need `strong`, what they
/// know before they see a model.
AttackedModel attack_model(const Context& context, const evidence::Evidence& evidence,
                           const evidence::Model& model, const MiauSettings& settings,
                           std::size_t seeds, Progress* progress = nullptr,
                           const StrongReferences* strong = nullptr);

using AttackedModels = std::map<const evidence::Model*, AttackedModel>;

/// Attacks every model once. Draws depend on seed, task and split sizes only, so models with the
/// same rows have the same.
AttackedModels attack_models(const Context& context, const evidence::Evidence& evidence,
                             const Models& models, const MiauSettings& settings, std::size_t seeds,
                             Progress* progress = nullptr,
                             const StrongReferences* strong = nullptr);

/// Score per attack seed, as many as every model has; all three models must be complete.
std::vector<MiauScore> scores_by_seed(const AttackedModel& original, const AttackedModel& retrained,
                                      const AttackedModel& unlearned, const MiauOptions& options);

}  // namespace vestige::metrics
