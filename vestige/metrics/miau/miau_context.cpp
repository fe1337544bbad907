// Parts, attacks and scores of one comparison.
#include "vestige/metrics/miau/miau_context.h"

#include <algorithm>

#include "vestige/metrics/inputs/attack_inputs.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

std::string words(PairTask task) {
  std::string text(name(task));
  std::replace(text.begin(), text.end(), '_', ' ');
  return text.insert(text.find(' '), " vs");
}

}  // namespace

MiauParts parts_of(const Comparison& comparison, const evidence::Model& model) {
  MiauParts parts;
  parts.original = comparison.evidence->original_of(model);
  if (parts.original == nullptr) parts.original = partner(comparison.original, model.name);
  parts.retrained = partner(comparison.retrained, model.name);
  // The only retrained model is its own reference: the score is the retrain's 99.8993.
  if (parts.retrained == nullptr && model.role == "retrained") parts.retrained = &model;
  return parts;
}

const AttackedModel* MiauContext::find(const evidence::Model* model) const {
  if (model == nullptr) return nullptr;
  const auto found = common.find(model);
  return found != common.end() ? &found->second : &own.at(model);
}

std::optional<TaskNoise> noise_of(const MiauContext& context, std::size_t task) {
  const AttackedModel* original = context.find(context.parts.original);
  const AttackedModel* retrained = context.find(context.parts.retrained);
  if (original == nullptr || retrained == nullptr) return std::nullopt;
  if (!original->ran(task) || !retrained->ran(task)) return std::nullopt;
  const TaskReliability seen =
      task_reliability(original->accuracy[task], retrained->accuracy[task]);
  if (seen.reliable) return std::nullopt;
  const double ours = mean(original->accuracy[task]), theirs = mean(retrained->accuracy[task]);
  const std::string pair = words(kPairTasks[task]);
  return TaskNoise{reason(Code::task_cannot_tell_original, pair, ours, theirs),
                   reason(Code::attack_cannot_tell_original, pair, ours, theirs,
                          original->accuracy[task].size(), seen.lower, seen.upper)};
}

std::vector<MiauScore> scores_of(const MiauContext& context, const evidence::Model& model,
                                 const MiauParts& parts) {
  std::vector<MiauScore> scores =
      scores_by_seed(*context.find(parts.original), *context.find(parts.retrained),
                     *context.find(&model), context.settings.score);
  if (scores.size() > context.settings.seeds) scores.resize(context.settings.seeds);
  return scores;
}

std::vector<double> totals(const std::vector<MiauScore>& scores) {
  std::vector<double> result;
  for (const MiauScore& score : scores) result.push_back(score.score);
  return result;
}

}  // namespace vestige::metrics
