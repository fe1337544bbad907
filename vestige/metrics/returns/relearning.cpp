// Points of a relearning and the answers of models at each.
#include "vestige/metrics/returns/relearning.h"

#include <algorithm>

#include "vestige/evidence/losses.h"
#include "vestige/evidence/probed.h"
#include "vestige/evidence/tokens.h"
#include "vestige/metrics/inputs/accuracy.h"
#include "vestige/metrics/inputs/likelihood.h"
#include "vestige/metrics/inputs/row_signals.h"

namespace vestige::metrics {
namespace {

/// The models before any step and at each stage; nothing where one was not probed.
std::vector<Models> points_of(const evidence::Evidence& evidence, const Models& models,
                              const std::vector<RelearnStage>& stages) {
  std::vector<Models> points = {models};
  for (const RelearnStage& stage : stages) {
    Models after;
    for (const ProbedPair& pair : probed_pairs(evidence, models, stage.probe)) {
      after.push_back(pair.after);
    }
    if (after.size() != models.size() || models.empty()) return {};
    points.push_back(after);
  }
  return points;
}

bool can_answer(const evidence::Evidence& evidence, const evidence::Model& model,
                RelearnAnswer answer) {
  switch (answer) {
    case RelearnAnswer::accuracy:
      return model.has("forget") && evidence.find_labels("forget") != nullptr;
    case RelearnAnswer::token_accuracy:
      return evidence::has_tokens(model, "forget") && model.tokens.contains("forget.rank");
    case RelearnAnswer::loss:
      return has_likelihoods(evidence, model, "forget") || evidence::has_losses(model, "forget");
  }
  return false;
}

/// Share of tokens of each sequence that the model finds more probable than all others.
std::vector<double> token_accuracies(const evidence::Evidence& evidence,
                                     const evidence::Model& model) {
  const evidence::TokenSplit split = evidence::read_tokens(evidence, model, "forget");
  std::vector<double> shares;
  for (std::size_t row = 0; row + 1 < split.offsets.size(); ++row) {
    const auto first = split.rank.begin() + static_cast<std::ptrdiff_t>(split.offsets[row]);
    const auto last = split.rank.begin() + static_cast<std::ptrdiff_t>(split.offsets[row + 1]);
    shares.push_back(static_cast<double>(std::count(first, last, 0)) /
                     static_cast<double>(last - first));
  }
  return shares;
}

std::vector<double> answers_of(const Context& context, const evidence::Evidence& evidence,
                               const evidence::Model& model, RelearnAnswer answer) {
  if (answer == RelearnAnswer::accuracy) {
    return correct_rows(context, model.outputs.at("forget"), *evidence.find_labels("forget"));
  }
  if (answer == RelearnAnswer::token_accuracy) return token_accuracies(evidence, model);
  if (has_likelihoods(evidence, model, "forget")) {
    return sequence_likelihoods(evidence, model, "forget");
  }
  std::vector<double> losses = evidence::read_losses(evidence, model, "forget");
  for (double& loss : losses) loss = -loss;
  return losses;
}

/// Mean over the models, on the given forget rows.
std::vector<double> mean_answers(const Context& context, const evidence::Evidence& evidence,
                                 const Models& models, RelearnAnswer answer,
                                 const std::vector<std::size_t>& rows) {
  std::vector<double> means(rows.size());
  for (const evidence::Model* model : models) {
    const std::vector<double> own = answers_of(context, evidence, *model, answer);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      means[i] += own.at(rows[i]) / static_cast<double>(models.size());
    }
  }
  return means;
}

Matrix curve(const Context& context, const evidence::Evidence& evidence,
             const std::vector<Models>& points, RelearnAnswer answer,
             const std::vector<std::size_t>& rows) {
  Matrix values(points.size(), rows.size());
  for (std::size_t point = 0; point < points.size(); ++point) {
    const std::vector<double> means = mean_answers(context, evidence, points[point], answer, rows);
    std::copy(means.begin(), means.end(), values.row(point).begin());
  }
  return values;
}

}  // namespace

RelearnCurves relearn_curves(const evidence::Evidence& evidence) {
  RelearnCurves curves;
  for (const std::string& probe : evidence::probes(evidence)) {
    if (const auto stage = evidence::stage_of(probe)) {
      curves[stage->probe].push_back({static_cast<double>(stage->steps), probe});
    }
  }
  for (auto& [name, stages] : curves) {
    std::sort(stages.begin(), stages.end(),
              [](const auto& left, const auto& right) { return left.steps < right.steps; });
  }
  return curves;
}

std::string name(RelearnAnswer answer) {
  switch (answer) {
    case RelearnAnswer::accuracy:
      return "accuracy";
    case RelearnAnswer::token_accuracy:
      return "token accuracy";
    case RelearnAnswer::loss:
      return "loss";
  }
  return {};
}

RelearnedRows relearned_rows(const Context& context, const evidence::Evidence& evidence,
                             const Models& method, const Models& retrained, const Models& originals,
                             const std::vector<RelearnStage>& stages) {
  const std::vector<Models> ours = points_of(evidence, method, stages);
  const std::vector<Models> theirs = points_of(evidence, retrained, stages);
  if (ours.empty() || theirs.empty() || originals.empty()) return {};
  Models all = originals;
  for (const std::vector<Models>* points : {&ours, &theirs}) {
    for (const Models& point : *points) all.insert(all.end(), point.begin(), point.end());
  }
  for (const RelearnAnswer answer :
       {RelearnAnswer::accuracy, RelearnAnswer::token_accuracy, RelearnAnswer::loss}) {
    const bool known = std::all_of(all.begin(), all.end(), [&](const evidence::Model* model) {
      return can_answer(evidence, *model, answer);
    });
    if (!known) continue;
    const ProbeRows probed = probe_rows(evidence, speaking_rows(evidence), stages.front().probe);
    const std::vector<std::size_t>& rows = probed.shown.empty() ? probed.forget : probed.shown;
    RelearnedRows found{answer, {}};
    found.curves.steps = {0};
    for (const RelearnStage& stage : stages) found.curves.steps.push_back(stage.steps);
    found.curves.method = curve(context, evidence, ours, answer, rows);
    found.curves.retrained = curve(context, evidence, theirs, answer, rows);
    found.curves.original = mean_answers(context, evidence, originals, answer, rows);
    return found;
  }
  return {};
}

}  // namespace vestige::metrics
