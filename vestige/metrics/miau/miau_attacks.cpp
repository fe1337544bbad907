// Settings, features and the loop over models, tasks and seeds.
#include "vestige/metrics/miau/miau_attacks.h"

#include <algorithm>
#include <optional>

#include "vestige/base/error.h"
#include "vestige/base/memory.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/inputs/attack_inputs.h"
#include "vestige/metrics/inputs/held_rows.h"

namespace vestige::metrics {
namespace {

constexpr std::array<std::string_view, 3> kSplits{"forget", "retain", "test"};
/// From fewer rows a side no stratified fifth can be held out.
constexpr std::size_t kFewestRows = 5;

/// Place of the rows of forget that the model is scored on; kSplits[0] holds all of them.
constexpr std::size_t kScored = 3;

/// Features of one model per split of kSplits, and of the scored forget rows; nothing where the
/// evidence lacks them.
using SplitFeatures = std::array<std::optional<Matrix>, 4>;

/// Places in SplitFeatures that make up the sides of a task.
struct Sides {
  std::vector<std::size_t> first;
  std::vector<std::size_t> second;
};

Sides sides(PairTask task) {
  switch (task) {
    case PairTask::forget_retain:
      return {{kScored}, {1}};
    case PairTask::forget_test:
      return {{kScored}, {2}};
    case PairTask::retain_test:
      return {{1}, {2}};
    case PairTask::train_test:
      return {{0, 1}, {2}};
  }
  return {};
}

PairSide make_side(const SplitFeatures& features, const std::vector<std::size_t>& places) {
  std::vector<MatrixView> parts;
  for (const std::size_t place : places) parts.push_back(features[place]->view());
  return PairSide(std::move(parts));
}

/// What the features of a model take at most.
std::size_t bytes_of(const evidence::Model& model) {
  std::size_t bytes = 0;
  for (const char* split : {"forget", "forget", "retain", "test"}) {
    const auto found = model.outputs.find(split);
    if (found == model.outputs.end()) continue;
    bytes += held_bytes(found->second.rows(), found->second.cols());
  }
  return bytes;
}

/// Why a task cannot be run on these features; empty if it can.
std::string obstacle(const SplitFeatures& features, const Sides& task,
                     const MiauSettings& settings) {
  for (const auto& places : {task.first, task.second}) {
    for (const std::size_t place : places) {
      if (!features[place]) {
        return fmt::format("needs {} of {}: add {}{}.npy for this model",
                           settings.features == AttackFeatures::saliency ? "saliency" : "outputs",
                           kSplits[place % kScored],
                           settings.features == AttackFeatures::saliency ? "saliency/" : "",
                           kSplits[place % kScored]);
      }
    }
  }
  const PairSide first = make_side(features, task.first), second = make_side(features, task.second);
  const std::size_t rows = std::min(first.rows(), second.rows());
  const bool needs_rows = settings.classifier != AttackClassifier::xgboost;
  const std::size_t fewest = std::max(kFewestRows, needs_rows ? first.cols() : 0);
  if (rows < fewest) {
    return fmt::format("{} rows a side for {} features: give at least {} rows of each split", rows,
                       first.cols(), fewest);
  }
  return {};
}

/// One draw per attack seed.
std::vector<PairDraw> draw_all(PairTask task, const PairSide& first, const PairSide& second,
                               const MiauSettings& settings, std::size_t seeds) {
  std::vector<PairDraw> draws(seeds);
  parallel_for(draws.size(), [&](std::size_t seed) {
    Stream stream(settings.seed, fmt::format("miau.{}", name(task)), seed);
    draws[seed] = draw_pair(first.rows(), second.rows(), stream,
                            {.max_rows = row_limit(settings.classifier)});
  });
  return draws;
}

/// Every seed of one task; the fit to the first draw is what the others begin with.
std::vector<PairAttack> attack_task(const SplitFeatures& features, PairTask task,
                                    const MiauSettings& settings, std::size_t seeds) {
  const Sides places = sides(task);
  const PairSide first = make_side(features, places.first);
  const PairSide second = make_side(features, places.second);
  const std::vector<PairDraw> draws = draw_all(task, first, second, settings, seeds);
  const LogisticStart start = pair_start(first, second, draws.front(), settings.classifier);
  std::vector<PairAttack> attacks(draws.size());
  parallel_for(attacks.size(), [&](std::size_t seed) {
    attacks[seed] =
        pair_attack(first, second, draws[seed], settings.classifier, settings.seed + seed, &start);
  });
  return attacks;
}

}  // namespace

std::string MiauSettings::attack() const {
  return fmt::format("{} on {}", name(classifier), name(features));
}

std::string_view name(GradedRows rows) { return rows == GradedRows::all ? "all" : "removed"; }

std::vector<std::size_t> removed_rows(const evidence::Model& model) {
  std::vector<std::size_t> rows;
  const auto found = model.members.find("forget");
  if (model.role != "partial" || found == model.members.end()) return rows;
  const std::vector<std::int64_t> members = found->second.integers();
  for (std::size_t row = 0; row < members.size(); ++row) {
    if (members[row] == 0) rows.push_back(row);
  }
  return rows;
}

AttackedModel attack_model(const evidence::Evidence& evidence, const evidence::Model& model,
                           const MiauSettings& settings, std::size_t seeds) {
  const HeldMemory held(bytes_of(model));
  SplitFeatures features;
  for (std::size_t place = 0; place < kSplits.size(); ++place) {
    if (has_features(evidence, model, kSplits[place], settings.features)) {
      features[place] = split_features(evidence, model, kSplits[place], settings.features);
    }
  }
  AttackedModel attacked;
  features[kScored] = features[0];
  if (features[0]) {
    const std::vector<std::size_t> removed = removed_rows(model);
    attacked.on_removed = settings.graded == GradedRows::removed && !removed.empty();
    if (attacked.on_removed) features[kScored] = select_rows(features[0]->view(), removed);
    attacked.forget_rows = features[kScored]->rows();
  }
  std::array<std::vector<PairAttack>, kPairTasks.size()> attacks;
  parallel_for(kPairTasks.size(), [&](std::size_t task) {
    attacked.missing[task] = obstacle(features, sides(kPairTasks[task]), settings);
    if (!attacked.missing[task].empty()) return;
    attacks[task] = attack_task(features, kPairTasks[task], settings, seeds);
  });
  for (std::size_t task = 0; task < attacks.size(); ++task) {
    for (const PairAttack& attack : attacks[task]) {
      attacked.accuracy[task].push_back(100 * attack.accuracy);
      attacked.rows[task] = attack.rows;
      attacked.constant = attacked.constant || attack.constant;
    }
  }
  return attacked;
}

AttackedModels attack_models(const evidence::Evidence& evidence, const Models& models,
                             const MiauSettings& settings, std::size_t seeds) {
  AttackedModels result;
  // One after the other, for the sake of memory: the work inside is parallel.
  for (const evidence::Model* model : models) {
    if (model == nullptr || result.count(model) > 0) continue;
    result.emplace(model, attack_model(evidence, *model, settings, seeds));
  }
  return result;
}

std::vector<MiauScore> scores_by_seed(const AttackedModel& original, const AttackedModel& retrained,
                                      const AttackedModel& unlearned, const MiauOptions& options) {
  std::vector<MiauScore> scores;
  const auto at = [](const AttackedModel& model, std::size_t seed) {
    return std::array<double, 3>{model.accuracy[0][seed], model.accuracy[1][seed],
                                 model.accuracy[2][seed]};
  };
  const std::size_t seeds = std::min(
      {original.accuracy[0].size(), retrained.accuracy[0].size(), unlearned.accuracy[0].size()});
  for (std::size_t seed = 0; seed < seeds; ++seed) {
    scores.push_back(
        miau_score(at(original, seed), at(retrained, seed), at(unlearned, seed), options));
  }
  return scores;
}

}  // namespace vestige::metrics
