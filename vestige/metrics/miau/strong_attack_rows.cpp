// Table 4 from evidence: train rows are forget and retain together, against test rows.
#include "vestige/metrics/miau/strong_attack_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <span>

#include "vestige/base/seed.h"
#include "vestige/metrics/inputs/attack_inputs.h"
#include "vestige/metrics/miau/strong_attacks.h"
#include "vestige/metrics/stats/roc.h"

namespace vestige::metrics {
namespace {

using evidence::Evidence;
using evidence::Model;

std::vector<double> joined(std::vector<double> first, const std::vector<double>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const std::vector<std::string> kStrongSplits = {"forget", "retain", "test"};

/// Rows of a split whose features or activations are held at once.
constexpr std::size_t kRowsAtOnce = 1024;

/// Calls use(first, last) on blocks of rows, in order.
template <typename Use>
void for_blocks(std::size_t rows, const Use& use) {
  for (std::size_t first = 0; first < rows; first += kRowsAtOnce) {
    use(first, std::min(first + kRowsAtOnce, rows));
  }
}

std::vector<double> shadow_scores_of(const Evidence& evidence, const Model& model,
                                     const char* split, AttackFeatures features,
                                     const LogisticModel& classifier) {
  std::vector<double> scores;
  for_blocks(model.outputs.at(split).rows(), [&](std::size_t first, std::size_t last) {
    const Matrix rows = split_features(evidence, model, split, features, first, last);
    scores = joined(std::move(scores), shadow_scores(classifier, rows));
  });
  return scores;
}

/// The rows of an array with the given places.
Matrix picked_rows(const evidence::Array& array, const std::vector<std::size_t>& places) {
  Matrix result(places.size(), array.cols());
  for (std::size_t i = 0; i < places.size(); ++i) array.read_row(places[i], result.row(i));
  return result;
}

std::vector<double> quantile_scores_of(const evidence::Array& activations,
                                       const std::vector<double>& confidences,
                                       const QuantileModel& model) {
  assert(activations.rows() == confidences.size() && "the loader compares rows with labels");
  std::vector<double> scores;
  for_blocks(activations.rows(), [&](std::size_t first, std::size_t last) {
    Matrix rows(last - first, activations.cols());
    activations.read(first * rows.cols(), rows.values());
    scores =
        joined(std::move(scores),
               quantile_scores(model, rows, std::span(confidences).subspan(first, last - first)));
  });
  return scores;
}

std::vector<double> train_confidences(const Context& context, const Evidence& evidence,
                                      const Model& model) {
  return joined(split_confidences(context, evidence, model, "forget"),
                split_confidences(context, evidence, model, "retain"));
}

std::vector<const Model*> shadows_with(const Evidence& evidence,
                                       std::initializer_list<std::string_view> splits) {
  std::vector<const Model*> result;
  const evidence::Group* group = evidence.find("shadow");
  if (group == nullptr || !has_labels(evidence, splits)) return result;
  for (const Model& model : group->models) {
    if (has_outputs(model, splits)) result.push_back(&model);
  }
  return result;
}

Row finish(Row row, const StrongAttack& attack, Json settings, Json facts) {
  const Estimate estimate = auc_interval(attack.train_scores, attack.test_scores);
  row.value = estimate.value;
  row.lower = estimate.lower;
  row.upper = estimate.upper;
  row.interval = result::Code::delong_models_fixed;
  row.n = attack.train_scores.size() + attack.test_scores.size();
  row.settings = std::move(settings);
  row.facts = std::move(facts);
  if (std::isnan(row.value)) {
    row.status = Status::undefined;
    row.interval = {};
    row.notes = {
        reason(Code::attack_without_answer, attack.train_scores.size(), attack.test_scores.size())};
  }
  return row;
}

Row skip(Row row, Reason why) {
  row.status = Status::skipped;
  row.notes = {std::move(why)};
  return row;
}

SplitScores lira_scores(const Context& context, const Evidence& evidence, const Model& model,
                        const StrongReferences& references) {
  if (references.shadows < 2) {
    return {.missing =
                reason(Code::needs_shadow_models, 2, "shadow/{0,1}/{forget,retain,test}.npy")};
  }
  StrongAttack attack =
      lira_attack(train_confidences(context, evidence, model), references.on_train,
                  split_confidences(context, evidence, model, "test"), references.on_test);
  const auto forget = static_cast<std::ptrdiff_t>(model.outputs.at("forget").rows());
  const std::vector<double>& train = attack.train_scores;
  return {.forget = {train.begin(), train.begin() + forget},
          .retain = {train.begin() + forget, train.end()},
          .test = std::move(attack.test_scores)};
}

SplitScores classifier_scores(const Evidence& evidence, const Model& model,
                              const StrongReferences& references) {
  if (!references.classifier) {
    return {.missing = reason(Code::needs_shadow_training_outputs,
                              "labels/shadow_train.npy and shadow/0/{shadow_train,test}.npy")};
  }
  const auto scores = [&](const char* split) {
    return shadow_scores_of(evidence, model, split, references.features, *references.classifier);
  };
  return {.forget = scores("forget"),
          .retain = scores("retain"),
          .test = select_values(scores("test"), references.judged)};
}

SplitScores regression_scores(const Context& context, const Evidence& evidence, const Model& model,
                              const StrongReferences& halves) {
  const auto layer = model.activations.find("penultimate");
  const bool complete = layer != model.activations.end() && layer->second.count("forget") > 0 &&
                        layer->second.count("retain") > 0 && layer->second.count("test") > 0;
  if (!complete) {
    return {.missing = reason(Code::needs_activations, kStrongSplits,
                              model.id() + "/activations/penultimate/{forget,retain,test}.npy")};
  }
  const std::vector<double> confidences = split_confidences(context, evidence, model, "test");
  if (!std::ranges::all_of(confidences, [](double value) { return std::isfinite(value); })) {
    return {.missing = Code::test_probability_is_exact, .undefined = true};
  }
  const evidence::Array& test = layer->second.at("test");
  const QuantileModel fit =
      fit_quantile(picked_rows(test, halves.fitted), select_values(confidences, halves.fitted));
  const auto scores = [&](const char* split) {
    return quantile_scores_of(layer->second.at(split),
                              split_confidences(context, evidence, model, split), fit);
  };
  return {.forget = scores("forget"),
          .retain = scores("retain"),
          .test = select_values(quantile_scores_of(test, confidences, fit), halves.judged)};
}

/// One row of Table 4: train against test.
Row table4_row(const Context& context, const Evidence& evidence, const Model& model,
               const StrongReferences& references, InnerAttack attack, Row row) {
  SplitScores scores = split_scores(context, evidence, model, references, attack);
  if (!scores.missing.empty()) {
    row = skip(std::move(row), std::move(scores.missing));
    if (scores.undefined) row.status = Status::undefined;
    return row;
  }
  Json settings, facts;
  switch (attack) {
    case InnerAttack::lira:
      settings = {{"attack", "LiRA, OUT models only"}};
      facts = {{"shadow_models", references.shadows},
               {"spread", references.shadows < kPooledSpreadBelow ? "pooled" : "per row"}};
      break;
    case InnerAttack::shadow:
      settings = {{"attack", "shadow models, logistic"}, {"features", name(references.features)}};
      facts = {{"shadow_models", references.trained_shadows}, {"test_rows", "random half"}};
      break;
    default:
      settings = {{"attack", "quantile regression"}, {"layer", "penultimate"}};
      facts = {{"quantile", 0.5}, {"test_rows", "random half"}};
  }
  return finish(
      std::move(row),
      scored_attack(joined(std::move(scores.forget), scores.retain), std::move(scores.test)),
      std::move(settings), std::move(facts));
}

}  // namespace

StrongReferences::StrongReferences(const Context& context, const Evidence& evidence,
                                   const MiauSettings& settings)
    : labelled(has_labels(evidence, {"forget", "retain", "test"})),
      // Shadow models export outputs, seldom saliency maps.
      features(settings.features == AttackFeatures::saliency ? AttackFeatures::softmax
                                                             : settings.features) {
  if (!labelled) return;
  const std::size_t rows = evidence.find_labels("test")->size();
  Stream stream(settings.seed, "miau.table4.halves");
  fitted = stream.sample(rows, rows / 2);
  for (std::size_t row = 0, next = 0; row < rows; ++row) {
    if (next < fitted.size() && fitted[next] == row) {
      ++next;
    } else {
      judged.push_back(row);
    }
  }
  const auto out = shadows_with(evidence, {"forget", "retain", "test"});
  shadows = out.size();
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::vector<double> train = train_confidences(context, evidence, *out[i]);
    const std::vector<double> test = split_confidences(context, evidence, *out[i], "test");
    if (i == 0) {
      on_train = Matrix(out.size(), train.size());
      on_test = Matrix(out.size(), test.size());
    }
    std::ranges::copy(train, on_train.row(i).begin());
    std::ranges::copy(test, on_test.row(i).begin());
  }
  const auto trained = shadows_with(evidence, {"shadow_train", "test"});
  trained_shadows = trained.size();
  if (trained.empty()) return;
  std::vector<ShadowRows> known;
  for (const Model* shadow : trained) {
    known.push_back({split_features(evidence, *shadow, "shadow_train", features),
                     select_rows(split_features(evidence, *shadow, "test", features), fitted)});
  }
  classifier = shadow_classifier(known);
}

SplitScores split_scores(const Context& context, const Evidence& evidence, const Model& model,
                         const StrongReferences& references, InnerAttack attack) {
  if (!references.labelled || !has_outputs(model, {"forget", "retain", "test"})) {
    return {.missing = reason(
                Code::needs_outputs_and_labels, kStrongSplits,
                model.id() + "/{forget,retain,test}.npy and labels/{forget,retain,test}.npy")};
  }
  if (attack == InnerAttack::lira) return lira_scores(context, evidence, model, references);
  if (attack == InnerAttack::shadow) return classifier_scores(evidence, model, references);
  return regression_scores(context, evidence, model, references);
}

void add_strong_attacks(const Comparison& comparison, const Request& request,
                        const StrongReferences& references, Measurements& out) {
  for (const InnerAttack attack : {InnerAttack::lira, InnerAttack::shadow, InnerAttack::quantile}) {
    Row row = make_row(fmt::format("miau.table4.{}.auc", name(attack)), comparison, request);
    out.rows.push_back(table4_row(request.context, *comparison.evidence,
                                  *comparison.candidate.front(), references, attack,
                                  std::move(row)));
  }
}

}  // namespace vestige::metrics
