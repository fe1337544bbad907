// Settings, features and the loop over models, tasks and seeds.
#include "vestige/metrics/miau/miau_attacks.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <optional>
#include <span>

#include "vestige/base/error.h"
#include "vestige/base/memory.h"
#include "vestige/base/parallel.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/inputs/attack_inputs.h"
#include "vestige/metrics/inputs/held_rows.h"
#include "vestige/metrics/miau/strong_attack_rows.h"

namespace vestige::metrics {
namespace {

constexpr std::array<std::string_view, 3> kSplits{"forget", "retain", "test"};
/// From fewer rows per group no stratified fifth can be held out.
constexpr std::size_t kFewestRows = 5;

/// Place of the rows of forget that the model is scored on; kSplits[0] holds all of them.
constexpr std::size_t kScored = 3;
/// Place of rows drawn from forget and retain together, where rows are drawn.
constexpr std::size_t kTrain = 4;

/// Features of one model per split of kSplits, of the scored forget rows and of drawn training
/// rows; nothing where the evidence lacks them.
struct SplitFeatures : std::array<std::optional<Matrix>, 5> {
  Reason missing = {};  ///< what an attack other than the paper's lacks
};

/// Places in SplitFeatures that make up the sides of a task.
struct Sides {
  std::vector<std::size_t> first;
  std::vector<std::size_t> second;
};

Sides sides(PairTask task, const MiauSettings& settings) {
  switch (task) {
    case PairTask::forget_retain:
      return {{kScored}, {1}};
    case PairTask::forget_test:
      return {{kScored}, {2}};
    case PairTask::retain_test:
      return {{1}, {2}};
    case PairTask::train_test:
      if (settings.rows > 0) return {{kTrain}, {2}};
      return {{0, 1}, {2}};
  }
  return {};
}

PairSide make_side(const SplitFeatures& features, const std::vector<std::size_t>& places) {
  std::vector<MatrixView> parts;
  for (const std::size_t place : places) parts.push_back(features[place]->view());
  return PairSide(std::move(parts));
}

/// What lies at a place, or what would have to be given for it.
std::string_view split_at(std::size_t place) { return kSplits[place % kScored]; }

/// Rows of a side that take part at most; 0: all.
std::size_t side_limit(const MiauSettings& settings) {
  const std::size_t own = row_limit(settings.classifier);
  if (own == 0 || settings.rows == 0) return std::max(own, settings.rows);
  return std::min(own, settings.rows);
}

/// Why a task cannot be run on these features; empty if it can.
Reason obstacle(const SplitFeatures& features, const Sides& task, const MiauSettings& settings) {
  for (const auto& places : {task.first, task.second}) {
    for (const std::size_t place : places) {
      if (features[place]) continue;
      if (!features.missing.empty()) return features.missing;
      const std::vector split = {std::string(split_at(place))};
      if (settings.features == AttackFeatures::saliency) {
        return reason(Code::needs_saliency, split, "saliency/" + split.front() + ".npy");
      }
      return reason(Code::needs_outputs, split, split.front() + ".npy");
    }
  }
  const PairSide first = make_side(features, task.first), second = make_side(features, task.second);
  const std::size_t there = std::min(first.rows(), second.rows());
  const std::size_t limit = side_limit(settings);
  const std::size_t rows = limit > 0 ? std::min(there, limit) : there;
  const bool needs_rows = settings.classifier != AttackClassifier::xgboost;
  const std::size_t fewest = std::max(kFewestRows, needs_rows ? first.cols() : 0);
  if (rows >= fewest) return {};
  if (settings.rows > 0 && settings.rows < fewest) {
    return reason(Code::miau_examples_below_features, rows, first.cols(), fewest);
  }
  if (rows < there) {
    return reason(Code::miau_classifier_takes_too_few, name(settings.classifier), rows,
                  first.cols());
  }
  return reason(Code::few_examples_for_features, rows, first.cols(), fewest);
}

/// One draw per attack seed.
std::vector<PairDraw> draw_all(PairTask task, const PairSide& first, const PairSide& second,
                               const MiauSettings& settings, std::size_t seeds) {
  std::vector<PairDraw> draws(seeds);
  parallel_for(draws.size(), [&](std::size_t seed) {
    Stream stream(settings.seed, fmt::format("miau.{}", name(task)), seed);
    draws[seed] =
        draw_pair(first.rows(), second.rows(), stream, {.max_rows = side_limit(settings)});
  });
  return draws;
}

/// Every seed of one task; the fit to the first draw is what the others begin with.
std::vector<PairAttack> attack_task(const SplitFeatures& features, PairTask task,
                                    const MiauSettings& settings, std::size_t seeds,
                                    Progress* progress) {
  const Sides places = sides(task, settings);
  const PairSide first = make_side(features, places.first);
  const PairSide second = make_side(features, places.second);
  const std::vector<PairDraw> draws = draw_all(task, first, second, settings, seeds);
  const LogisticStart start = pair_start(first, second, draws.front(), settings.classifier);
  std::vector<PairAttack> attacks(draws.size());
  parallel_for(attacks.size(), [&](std::size_t seed) {
    attacks[seed] =
        pair_attack(first, second, draws[seed], settings.classifier, settings.seed + seed, &start);
    if (progress != nullptr) progress->add();
  });
  return attacks;
}

std::size_t rows_of(const evidence::Model& model, std::string_view split, AttackFeatures features) {
  const auto& arrays = features == AttackFeatures::saliency ? model.saliency : model.outputs;
  return arrays.at(std::string(split)).rows();
}

/// At most so many of `from`, drawn by the seed; all of them where there is no limit.
std::vector<std::size_t> drawn(std::vector<std::size_t> from, const MiauSettings& settings,
                               std::string_view what) {
  if (settings.rows == 0 || from.size() <= settings.rows) return from;
  Stream stream(settings.seed, fmt::format("miau.rows.{}", what));
  std::vector<std::size_t> result;
  for (const std::size_t place : stream.sample(from.size(), settings.rows)) {
    result.push_back(from[place]);
  }
  return result;
}

std::vector<std::size_t> all_rows(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

/// Rows drawn from forget and retain as if stacked.
Matrix train_features(const evidence::Evidence& evidence, const evidence::Model& model,
                      const MiauSettings& settings) {
  const std::size_t forget = rows_of(model, "forget", settings.features);
  const std::size_t retain = rows_of(model, "retain", settings.features);
  std::vector<std::size_t> of_forget, of_retain;
  for (const std::size_t row : drawn(all_rows(forget + retain), settings, "train")) {
    (row < forget ? of_forget : of_retain).push_back(row < forget ? row : row - forget);
  }
  const Matrix first = split_features(evidence, model, "forget", settings.features, of_forget);
  const Matrix second = split_features(evidence, model, "retain", settings.features, of_retain);
  Matrix result(first.rows() + second.rows(), std::max(first.cols(), second.cols()));
  std::ranges::copy(first.values(), result.values().begin());
  std::ranges::copy(second.values(),
                    result.values().begin() + static_cast<std::ptrdiff_t>(first.values().size()));
  return result;
}

SplitFeatures features_of(const evidence::Evidence& evidence, const evidence::Model& model,
                          const MiauSettings& settings, AttackedModel& attacked) {
  SplitFeatures features;
  for (std::size_t place = 0; place < kSplits.size(); ++place) {
    const std::string_view split = kSplits[place];
    if (!has_features(evidence, model, split, settings.features)) continue;
    const std::size_t rows = rows_of(model, split, settings.features);
    features[place] =
        settings.rows == 0 || rows <= settings.rows
            ? split_features(evidence, model, split, settings.features)
            : split_features(evidence, model, split, settings.features,
                             std::span<const std::size_t>(drawn(all_rows(rows), settings, split)));
  }
  if (!features[0]) return features;
  const std::vector<std::size_t> removed = removed_rows(model);
  attacked.on_removed = settings.graded == GradedRows::removed && !removed.empty();
  if (!attacked.on_removed) {
    features[kScored] = features[0];
  } else if (settings.rows == 0) {
    features[kScored] = select_rows(features[0]->view(), removed);
  } else {
    features[kScored] =
        split_features(evidence, model, "forget", settings.features,
                       std::span<const std::size_t>(drawn(removed, settings, "removed")));
  }
  attacked.forget_rows = features[kScored]->rows();
  if (settings.rows > 0 && features[1])
    features[kTrain] = train_features(evidence, model, settings);
  return features;
}

Matrix column(const std::vector<double>& values, const std::vector<std::size_t>& rows) {
  Matrix result(rows.size(), 1);
  for (std::size_t row = 0; row < rows.size(); ++row) result(row, 0) = values[rows[row]];
  return result;
}

/// The scores of an attack as the only feature, of the rows that `features_of` would take.
SplitFeatures scores_of(const Context& context, const evidence::Evidence& evidence,
                        const evidence::Model& model, const MiauSettings& settings,
                        const StrongReferences& strong, AttackedModel& attacked) {
  SplitFeatures features;
  SplitScores scores = split_scores(context, evidence, model, strong, settings.inner);
  if (!scores.missing.empty()) {
    features.missing = std::move(scores.missing);
    return features;
  }
  const std::array<const std::vector<double>*, 3> splits{&scores.forget, &scores.retain,
                                                         &scores.test};
  for (std::size_t place = 0; place < splits.size(); ++place) {
    features[place] =
        column(*splits[place], drawn(all_rows(splits[place]->size()), settings, kSplits[place]));
  }
  const std::vector<std::size_t> removed = removed_rows(model);
  attacked.on_removed = settings.graded == GradedRows::removed && !removed.empty();
  features[kScored] = attacked.on_removed
                          ? column(scores.forget, drawn(removed, settings, "removed"))
                          : *features[0];
  attacked.forget_rows = features[kScored]->rows();
  std::vector<double> train = std::move(scores.forget);
  train.insert(train.end(), scores.retain.begin(), scores.retain.end());
  if (settings.rows > 0) {
    features[kTrain] = column(train, drawn(all_rows(train.size()), settings, "train"));
  }
  return features;
}

}  // namespace

std::string MiauSettings::attack() const {
  if (inner != InnerAttack::features) {
    return fmt::format("{} on {} scores", name(classifier), name(inner));
  }
  return fmt::format("{} on {}", name(classifier), name(features));
}

std::string_view name(InnerAttack attack) {
  switch (attack) {
    case InnerAttack::features:
      return "features";
    case InnerAttack::lira:
      return "lira";
    case InnerAttack::shadow:
      return "shadow";
    case InnerAttack::quantile:
      return "quantile";
  }
  return "";
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

HeldFeatures held_features(const evidence::Model& model, const MiauSettings& settings) {
  HeldFeatures held;
  const auto& arrays =
      settings.features == AttackFeatures::saliency ? model.saliency : model.outputs;
  // Forget rows twice: those that a graded retrain is scored on are a selection of their own.
  for (const char* split : {"forget", "forget", "retain", "test"}) {
    const auto found = arrays.find(split);
    if (found == arrays.end()) continue;
    const std::size_t rows = found->second.rows();
    held.rows += settings.rows > 0 ? std::min(rows, settings.rows) : rows;
    held.columns = std::max(held.columns, found->second.cols());
  }
  if (settings.rows > 0) held.rows += settings.rows;
  if (settings.inner != InnerAttack::features && held.rows > 0) held.columns = 1;
  return held;
}

AttackedModel attack_model(const Context& context, const evidence::Evidence& evidence,
                           const evidence::Model& model, const MiauSettings& settings,
                           std::size_t seeds, Progress* progress, const StrongReferences* strong) {
  const HeldFeatures size = held_features(model, settings);
  const HeldMemory held(context, held_bytes(size.rows, size.columns));
  AttackedModel attacked;
  const bool own = settings.inner == InnerAttack::features;
  assert(own || strong != nullptr);
  const SplitFeatures features =
      own ? features_of(evidence, model, settings, attacked)
          : scores_of(context, evidence, model, settings, *strong, attacked);
  std::array<std::vector<PairAttack>, kPairTasks.size()> attacks;
  parallel_for(kPairTasks.size(), [&](std::size_t task) {
    attacked.missing[task] = obstacle(features, sides(kPairTasks[task], settings), settings);
    if (!attacked.missing[task].empty()) {
      if (progress != nullptr) progress->add(seeds);
      return;
    }
    attacks[task] = attack_task(features, kPairTasks[task], settings, seeds, progress);
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

AttackedModels attack_models(const Context& context, const evidence::Evidence& evidence,
                             const Models& models, const MiauSettings& settings, std::size_t seeds,
                             Progress* progress, const StrongReferences* strong) {
  AttackedModels result;
  // One after the other, for the sake of memory: the work inside is parallel.
  for (const evidence::Model* model : models) {
    if (model == nullptr || result.count(model) > 0) continue;
    result.emplace(model,
                   attack_model(context, evidence, *model, settings, seeds, progress, strong));
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
