// OUT and IN responses from evidence.
#include "vestige/metrics/inputs/iam_evidence.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/metrics/option_bounds.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

/// What a scoring variant interpolates.
std::vector<double> signal(Scoring scoring, const TrueClass& rows,
                           const ResponseOptions& response) {
  if (scoring == Scoring::gumbel) return iam_responses(rows.probability, response);
  return scoring == Scoring::gauss ? rows.scaled : rows.probability;
}

std::vector<std::vector<double>> signals(Scoring scoring, const std::vector<TrueClass>& models,
                                         const ResponseOptions& response) {
  std::vector<std::vector<double>> result;
  for (const TrueClass& rows : models) result.push_back(signal(scoring, rows, response));
  return result;
}

}  // namespace

std::vector<Scoring> IamSettings::scorings() const {
  if (score != "all") return {scoring_of(score)};
  return {kScorings.rbegin(), kScorings.rend()};  // gumbel first
}

const OptionTable<IamSettings>& iam_options() {
  using Settings = IamSettings;
  const auto inside = [](double high) {
    return [high](const Json& value) -> std::string {
      const auto number = value.get<double>();
      return number >= 0 && number <= high ? "" : fmt::format("it must lie in [0, {:g}]", high);
    };
  };
  static const OptionTable<Settings> table =
      OptionTable<Settings>("iam")
          .count(
              "shadows", "Shadow models to use, drawn by the seed; 0: all",
              [](Settings & s) -> auto& { return s.shadows; })
          .count(
              "levels", "Levels between the shadow models and the original",
              [](Settings & s) -> auto& { return s.iam.levels; }, within(2, 10'000))
          .number(
              "epsilon1", "Bounds responses near p = 1",
              [](Settings & s) -> auto& { return s.response.epsilon1; }, above(0))
          .number(
              "epsilon2", "Bounds responses near p = 0",
              [](Settings & s) -> auto& { return s.response.epsilon2; }, above(0))
          .choice(
              "map", "Responses: bounded by epsilon1 and epsilon2, or unbounded, -ln(-ln p)",
              [](Settings & s) -> auto& { return s.response.bounded; },
              std::vector<std::pair<std::string, bool>>{{"bounded", true}, {"unbounded", false}})
          .choice(
              "variance", "Variance over models and examples (global) or over models (per_row)",
              [](Settings & s) -> auto& { return s.iam.variance; },
              std::vector<std::pair<std::string, IamVariance>>{{"global", IamVariance::global},
                                                               {"per_row", IamVariance::per_row}})
          .text("score", "How a level is modelled; all: gumbel, and the AUC of every other variant",
                [](Settings & s) -> auto& { return s.score; },
                {"loss", "ecdf", "kde", "bayes", "gauss", "gumbel", "all"})
          .number(
              "delta1", "Forget examples with a higher score count as under-unlearned",
              [](Settings & s) -> auto& { return s.delta1; }, inside(1))
          .number(
              "delta2_constant",
              "Retain examples count as over-unlearned if their score is below this number minus "
              "the "
              "original's test accuracy",
              [](Settings & s) -> auto& { return s.delta2_constant; }, inside(2));
  return table;
}

IamSettings iam_settings(const Request& request) { return iam_options().read(request.options); }

IamShadows::IamShadows(const Context& context, const evidence::Evidence& evidence,
                       const IamSettings& settings, std::uint64_t seed) {
  const Models all = out_models(evidence, query_splits());
  require(settings.shadows <= all.size(), "iam.shadows is {}: this evidence has {} shadow models",
          settings.shadows, all.size());
  models = drawn_models(all, settings.shadows, seed);
  for (const evidence::Model* model : models) {
    out.push_back(true_class(context, evidence, *model, query_splits()));
    if (model->has("shadow_train") && evidence.find_labels(*model, "shadow_train") != nullptr) {
      training.push_back(true_class(context, evidence, *model, {"shadow_train"}));
    }
  }
}

IamModels::IamModels(const Context& context, const evidence::Evidence& evidence,
                     std::shared_ptr<const IamShadows> shadows, const Models& originals,
                     const IamSettings& settings)
    : context_(context), evidence_(evidence), settings_(settings), shadows_(std::move(shadows)) {
  for (const evidence::Model* model : originals) {
    if (covers(*model, query_splits())) {
      in_.push_back(true_class(context, evidence_, *model, query_splits()));
    }
  }
}

Reason IamModels::missing(IamMode mode) const {
  if (shadows_->models.empty()) {
    return reason(Code::needs_shadow_models, 1, "shadow/0/{forget,retain}.npy");
  }
  if (mode == IamMode::online && in_.empty()) {
    return reason(Code::needs_original_model, "original/0/{forget,retain}.npy");
  }
  if (mode == IamMode::offline && shadows_->training.size() != shadows_->models.size()) {
    return reason(Code::needs_shadow_training_outputs,
                  "shadow/0/shadow_train.npy, labels/shadow_train.npy");
  }
  return {};
}

std::vector<double> IamModels::scores(const evidence::Model& model, IamMode mode,
                                      Scoring scoring) const {
  const std::vector<double> target =
      signal(scoring, true_class(context_, evidence_, model, query_splits()), settings_.response);
  const Matrix shadows = stacked_models(signals(scoring, shadows_->out, settings_.response));
  std::vector<double> in;
  if (mode == IamMode::online) {
    in = shadow_moments(stacked_models(signals(scoring, in_, settings_.response))).mean;
  } else {
    in.assign(target.size(), offline_in(signals(scoring, shadows_->training, settings_.response)));
  }
  return scoring_scores(scoring, target, shadows, in, settings_.iam);
}

std::vector<double> IamModels::out_confidence() const {
  return shadow_moments(stacked_models(signals(Scoring::loss, shadows_->out, settings_.response)))
      .mean;
}

Reason IamModels::why_undefined() const {
  return settings_.iam.variance == IamVariance::per_row && shadow_count() == 1
             ? Code::one_shadow_has_no_variance
             : Code::responses_do_not_vary;
}

}  // namespace vestige::metrics
