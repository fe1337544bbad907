// Settings, features and the loop over models, tasks and seeds.
#include "vestige/metrics/miau/miau_attacks.h"

#include <algorithm>
#include <compare>
#include <optional>

#include "vestige/base/error.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/inputs/attack_inputs.h"

namespace vestige::metrics {
namespace {

constexpr std::array<std::string_view, 3> kSplits{"forget", "retain", "test"};
/// From fewer rows a side no stratified fifth can be held out.
constexpr std::size_t kFewestRows = 5;

/// Features of one model per split of kSplits; nothing where the evidence lacks them.
using SplitFeatures = std::array<std::optional<Matrix>, 3>;

/// Places in kSplits that make up the sides of a task.
struct Sides {
  std::vector<std::size_t> first;
  std::vector<std::size_t> second;
};

Sides sides(PairTask task) {
  switch (task) {
    case PairTask::forget_retain:
      return {{0}, {1}};
    case PairTask::forget_test:
      return {{0}, {2}};
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

/// Why a task cannot be run on these features; empty if it can.
std::string obstacle(const SplitFeatures& features, const Sides& task,
                     const MiauSettings& settings) {
  for (const auto& places : {task.first, task.second}) {
    for (const std::size_t place : places) {
      if (!features[place]) {
        return fmt::format(
            "needs {} of {}: add {}{}.npy for this model",
            settings.features == AttackFeatures::saliency ? "saliency" : "outputs", kSplits[place],
            settings.features == AttackFeatures::saliency ? "saliency/" : "", kSplits[place]);
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

/// One model with its features.
struct Prepared {
  const evidence::Model* model = nullptr;
  SplitFeatures features;
};

/// Sizes of the two sides behind a task.
struct DrawKey {
  std::size_t task = 0;
  std::size_t first_rows = 0;
  std::size_t second_rows = 0;
  auto operator<=>(const DrawKey&) const = default;
};

/// One draw per attack seed.
using Draws = std::map<DrawKey, std::vector<PairDraw>>;

DrawKey key_of(const SplitFeatures& features, std::size_t task) {
  const Sides places = sides(kPairTasks[task]);
  return {task, make_side(features, places.first).rows(),
          make_side(features, places.second).rows()};
}

std::vector<PairDraw> draw_all(const DrawKey& key, const MiauSettings& settings) {
  std::vector<PairDraw> draws;
  for (std::size_t seed = 0; seed < settings.seeds; ++seed) {
    Stream stream(settings.seed, fmt::format("miau.{}", name(kPairTasks[key.task])), seed);
    draws.push_back(draw_pair(key.first_rows, key.second_rows, stream,
                              {.max_rows = row_limit(settings.classifier)}));
  }
  return draws;
}

}  // namespace

std::string MiauSettings::attack() const {
  return fmt::format("{} on {}", name(classifier), name(features));
}

AttackedModels attack_models(const evidence::Evidence& evidence, const Models& models,
                             const MiauSettings& settings) {
  AttackedModels result;
  std::vector<Prepared> prepared;
  Draws draws;
  for (const evidence::Model* model : models) {
    if (model == nullptr || result.count(model) > 0) continue;
    Prepared next{model, {}};
    for (std::size_t place = 0; place < kSplits.size(); ++place) {
      if (has_features(evidence, *model, kSplits[place], settings.features)) {
        next.features[place] = split_features(evidence, *model, kSplits[place], settings.features);
      }
    }
    AttackedModel& attacked = result[model];
    for (std::size_t task = 0; task < kPairTasks.size(); ++task) {
      attacked.missing[task] = obstacle(next.features, sides(kPairTasks[task]), settings);
      if (!attacked.missing[task].empty()) continue;
      attacked.accuracy[task].resize(settings.seeds);
      std::vector<PairDraw>& drawn = draws[key_of(next.features, task)];
      if (drawn.empty()) drawn = draw_all(key_of(next.features, task), settings);
    }
    prepared.push_back(std::move(next));
  }
  const std::size_t per_model = kPairTasks.size() * settings.seeds;
  std::vector<PairAttack> attacks(prepared.size() * per_model);
  parallel_for(attacks.size(), [&](std::size_t index) {
    const Prepared& from = prepared[index / per_model];
    const std::size_t task = index % per_model / settings.seeds;
    const std::size_t seed = index % settings.seeds;
    if (!result.at(from.model).ran(task)) return;
    const Sides places = sides(kPairTasks[task]);
    const PairSide first = make_side(from.features, places.first);
    const PairSide second = make_side(from.features, places.second);
    const PairDraw& draw = draws.at(key_of(from.features, task))[seed];
    attacks[index] = pair_attack(first, second, draw, settings.classifier, settings.seed + seed);
  });
  for (std::size_t index = 0; index < attacks.size(); ++index) {
    AttackedModel& attacked = result.at(prepared[index / per_model].model);
    const std::size_t task = index % per_model / settings.seeds;
    if (!attacked.ran(task)) continue;
    attacked.accuracy[task][index % settings.seeds] = 100 * attacks[index].accuracy;
    attacked.rows[task] = attacks[index].rows;
    attacked.constant = attacked.constant || attacks[index].constant;
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
  for (std::size_t seed = 0; seed < unlearned.accuracy[0].size(); ++seed) {
    scores.push_back(
        miau_score(at(original, seed), at(retrained, seed), at(unlearned, seed), options));
  }
  return scores;
}

}  // namespace vestige::metrics
