// OUT and IN responses from evidence.
#include "vestige/metrics/inputs/iam_evidence.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

/// What a scoring variant interpolates.
std::vector<double> signal(Scoring scoring, const TrueClass& rows,
                           const ResponseOptions& response) {
  if (scoring == Scoring::gumbel) return iam_responses(rows.probability, response);
  return scoring == Scoring::gauss ? rows.scaled : rows.probability;
}

Matrix stacked(const std::vector<std::vector<double>>& models) {
  Matrix result(models.size(), models.empty() ? 0 : models.front().size());
  for (std::size_t model = 0; model < models.size(); ++model) {
    std::copy(models[model].begin(), models[model].end(), result.row(model).begin());
  }
  return result;
}

std::vector<std::vector<double>> signals(Scoring scoring, const std::vector<TrueClass>& models,
                                         const ResponseOptions& response) {
  std::vector<std::vector<double>> result;
  for (const TrueClass& rows : models) result.push_back(signal(scoring, rows, response));
  return result;
}

std::vector<Scoring> scorings_of(const std::string& text) {
  if (text != "all") return {scoring_of(text)};
  std::vector<Scoring> scorings(kScorings.rbegin(), kScorings.rend());
  return scorings;  // gumbel first
}

}  // namespace

IamSettings iam_settings(const Request& request) {
  const Json& options = request.options;
  IamSettings settings;
  settings.shadows = options.value("iam.shadows", std::size_t{0});
  settings.iam.levels = options.value("iam.levels", std::size_t{100});
  require(settings.iam.levels >= 2, "--iam-levels {}: give 2 or more (100 is usual)",
          settings.iam.levels);
  settings.response.epsilon1 = options.value("iam.epsilon1", 1e-2);
  settings.response.epsilon2 = options.value("iam.epsilon2", 1e-5);
  const std::string variance = options.value("iam.variance", "global");
  require(variance == "global" || variance == "per_row",
          "--iam-variance {}: give global or per_row", variance);
  settings.iam.variance = variance == "global" ? IamVariance::global : IamVariance::per_row;
  settings.scorings = scorings_of(options.value("iam.score", "gumbel"));
  settings.delta1 = options.value("iam.delta1", 0.1);
  require(settings.delta1 >= 0 && settings.delta1 <= 1,
          "--iam-delta1 {}: scores lie in [0, 1], so must the threshold (0.1 is usual)",
          settings.delta1);
  settings.delta2_constant = options.value("iam.delta2_constant", 1.5);
  require(settings.delta2_constant >= 0 && settings.delta2_constant <= 2,
          "--iam-delta2-constant {}: give a value from 0 to 2 (1.5 is usual)",
          settings.delta2_constant);
  return settings;
}

IamModels::IamModels(const Comparison& comparison, const IamSettings& settings)
    : evidence_(*comparison.evidence),
      settings_(settings),
      shadows_(out_models(evidence_, query_splits(), settings.shadows)) {
  const std::size_t all = out_models(evidence_, query_splits(), 0).size();
  require(settings.shadows <= all, "--shadows {}: this evidence has {} shadow models",
          settings.shadows, all);
  for (const evidence::Model* model : comparison.original) {
    if (covers(*model, query_splits())) original_.push_back(model);
  }
  for (const evidence::Model* model : shadows_) {
    out_.push_back(true_class(evidence_, *model, query_splits()));
    if (model->has("shadow_train") && evidence_.find_labels(*model, "shadow_train") != nullptr) {
      training_.push_back(true_class(evidence_, *model, {"shadow_train"}));
    }
  }
  for (const evidence::Model* model : original_) {
    in_.push_back(true_class(evidence_, *model, query_splits()));
  }
}

std::string IamModels::missing(IamMode mode) const {
  if (shadows_.empty()) return "needs a shadow model: add shadow/0/{forget,retain}.npy";
  if (mode == IamMode::online && original_.empty()) {
    return "needs the original model: add original/0/{forget,retain}.npy";
  }
  if (mode == IamMode::offline && training_.size() != shadows_.size()) {
    return "needs what each shadow model says of its own training rows: add "
           "shadow/0/shadow_train.npy and labels/shadow_train.npy (or labels/shadow_train.0.npy)";
  }
  return {};
}

std::vector<double> IamModels::scores(const evidence::Model& model, IamMode mode,
                                      Scoring scoring) const {
  const std::vector<double> target =
      signal(scoring, true_class(evidence_, model, query_splits()), settings_.response);
  const Matrix shadows = stacked(signals(scoring, out_, settings_.response));
  std::vector<double> in;
  if (mode == IamMode::online) {
    in = shadow_moments(stacked(signals(scoring, in_, settings_.response))).mean;
  } else {
    in.assign(target.size(), offline_in(signals(scoring, training_, settings_.response)));
  }
  return scoring_scores(scoring, target, shadows, in, settings_.iam);
}

std::vector<double> IamModels::out_confidence() const {
  return shadow_moments(stacked(signals(Scoring::loss, out_, settings_.response))).mean;
}

std::string IamModels::why_undefined() const {
  if (settings_.iam.variance == IamVariance::per_row && shadow_count() == 1) {
    return "per-row variance of one shadow model is 0: give two, or --iam-variance global";
  }
  return "the responses have no spread (zero variance), so no distribution can be fitted";
}

}  // namespace vestige::metrics
