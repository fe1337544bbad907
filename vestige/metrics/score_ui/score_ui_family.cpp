// Scores of checkpoints against known membership.
#include "vestige/metrics/score_ui/score_ui_family.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "vestige/base/seed.h"
#include "vestige/metrics/inputs/iam_evidence.h"
#include "vestige/metrics/inputs/rmia_settings.h"
#include "vestige/metrics/inputs/shadow_models.h"
#include "vestige/metrics/inputs/true_class.h"
#include "vestige/metrics/scores/emia.h"
#include "vestige/metrics/scores/lira.h"
#include "vestige/metrics/scores/rmia.h"
#include "vestige/metrics/stats/rank_tests.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

std::vector<MetricInfo> score_ui_metrics() {
  constexpr std::string_view what =
      "rank correlation of the attack's scores with known membership over checkpoints";
  const auto of = [what](std::string_view id, std::string_view name, std::string_view brief = {}) {
    return MetricInfo{.id = id,
                      .direction = Direction::higher,
                      .ideal = 1,
                      .name = name,
                      .what = what,
                      .brief = brief};
  };
  return {
      of("score_ui.iam.online", "ScoreUI of IAM", "UI IAM"),
      of("score_ui.iam.offline", "ScoreUI of IAM (offline)"),
      of("score_ui.emia_p", "ScoreUI of EMIA-P"),
      of("score_ui.emia_r", "ScoreUI of EMIA-R"),
      of("score_ui.lira.online", "ScoreUI of LiRA", "UI LiRA"),
      of("score_ui.lira.offline", "ScoreUI of LiRA (offline)"),
      of("score_ui.rmia.online", "ScoreUI of RMIA"),
      of("score_ui.rmia.offline", "ScoreUI of RMIA (offline)"),
      of("score_ui.update", "ScoreUI of the update attack"),
      of("score_ui.unleak", "ScoreUI of UnLeak"),
      of("score_ui.loss", "ScoreUI of the loss"),
      {"score_ui.random", Direction::match, 0, "ScoreUI of noise",
       "the same for uniform random scores: what noise gives"},
  };
}

const std::vector<std::string_view> kPopulation = {"test"};

/// A model whose training rows have a known membership.
struct Graded {
  const evidence::Model* model;
  double membership;
};

/// Series by name, each in the order of membership.
std::map<std::string, std::vector<Graded>> all_series(const evidence::Evidence& evidence) {
  std::map<std::string, std::vector<Graded>> series;
  for (const evidence::Group& group : evidence.groups) {
    if (group.role != "checkpoint") continue;
    const auto known = evidence.membership.find(group.method);
    if (known == evidence.membership.end()) continue;
    for (const evidence::Model& model : group.models) {
      if (covers(model, query_splits())) series[model.name].push_back({&model, known->second});
    }
  }
  for (auto& [name, models] : series) {
    std::stable_sort(models.begin(), models.end(), [](const Graded& left, const Graded& right) {
      return left.membership < right.membership;
    });
  }
  return series;
}

/// What the models that scores are made of say, read once.
struct Reference {
  const evidence::Model* model = nullptr;
  TrueClass rows;
  std::vector<double> response, rmia_rows, rmia_population;
  std::vector<double> training;  ///< responses on its own training rows; may be empty
};

/// Scores of one series by every attack that the evidence allows.
class SeriesScores {
 public:
  SeriesScores(const evidence::Evidence& evidence, const Request& request)
      : evidence_(evidence),
        settings_(iam_settings(request)),
        rmia_(rmia_settings(request)),
        seed_(request.seed),
        context_(request.context) {
    for (const evidence::Model* model : out_models(evidence, query_splits())) {
      all_.push_back(read(*model));
      population_ = population_ && !all_.back().rmia_population.empty();
    }
    const evidence::Group* originals = evidence.find("original");
    for (std::size_t index = 0; originals != nullptr && index < originals->models.size(); ++index) {
      const evidence::Model& model = originals->models[index];
      if (in_.model == nullptr && covers(model, query_splits())) in_ = read(model);
    }
  }

  /// That scored the last series.
  std::size_t shadows() const { return out_.size(); }
  std::string form() const { return taylor() ? "taylor" : "softmax"; }

  /// Which models score this series: never the one that it began with, which saw its way.
  void choose(const std::string& name) {
    Models others;
    for (const Reference& reference : all_) {
      if (reference.model->name != name) others.push_back(reference.model);
    }
    const Models chosen = drawn_models(others, settings_.shadows, seed_);
    out_.clear();
    for (const Reference& reference : all_) {
      if (std::find(chosen.begin(), chosen.end(), reference.model) != chosen.end()) {
        out_.push_back(&reference);
      }
    }
    const std::vector<UnleakPair> pairs =
        chosen.empty() ? std::vector<UnleakPair>() : shadow_pairs(evidence_, chosen);
    unleak_.reset();
    if (!pairs.empty() && evidence_.classes >= kUnleakClasses) unleak_.emplace(pairs);
  }

  std::map<std::string, std::vector<double>> scores(const evidence::Model& model,
                                                    std::uint64_t index) const {
    const Reference target = read(model);
    std::map<std::string, std::vector<double>> result;
    result["loss"] = target.rows.log_probability;
    Stream stream(seed_, "score_ui.random." + model.name, index);
    for (std::size_t row = 0; row < target.response.size(); ++row) {
      result["random"].push_back(stream.uniform());
    }
    const std::vector<double> losses = logistic_losses(target.rows.scaled);
    if (covers(model, kPopulation) && evidence_.find_labels("test") != nullptr) {
      result["emia_p"] = emia_p(
          losses, logistic_losses(true_class(context_, evidence_, model, kPopulation).scaled));
    }
    if (out_.empty()) return result;
    result["emia_r"] = emia_r(
        losses, stack([](const Reference& shadow) { return logistic_losses(shadow.rows.scaled); }));
    const ShadowMoments scaled =
        shadow_moments(stack([](const Reference& shadow) { return shadow.rows.scaled; }));
    result["lira.offline"] = lira_offline(target.rows.scaled, scaled);
    add_iam(target, result);
    add_rmia(target, result);
    if (in_.model == nullptr) return result;
    result["lira.online"] = lira_online(target.rows.scaled, in_.rows.scaled, scaled);
    result["update"] = update_attack(target.rows.scaled, in_.rows.scaled, scaled);
    if (unleak_) {
      result["unleak"] = unleak_scores(*unleak_, evidence_, *in_.model, model, query_splits());
    }
    return result;
  }

 private:
  bool taylor() const { return evidence_.kind == evidence::OutputKind::logits; }

  std::vector<double> rmia(const evidence::Model& model,
                           const std::vector<std::string_view>& splits) const {
    if (!taylor()) return true_class(context_, evidence_, model, splits).probability;
    return taylor_signals(context_, evidence_, model, splits, rmia_.temperature);
  }

  Reference read(const evidence::Model& model) const {
    Reference result;
    result.model = &model;
    result.rows = true_class(context_, evidence_, model, query_splits());
    result.response = iam_responses(result.rows.probability, settings_.response);
    result.rmia_rows = rmia(model, query_splits());
    if (covers(model, kPopulation) && evidence_.find_labels("test") != nullptr) {
      result.rmia_population = rmia(model, kPopulation);
    }
    if (model.has("shadow_train") && evidence_.find_labels(model, "shadow_train") != nullptr) {
      result.training = iam_responses(
          true_class(context_, evidence_, model, {"shadow_train"}).probability, settings_.response);
    }
    return result;
  }

  template <typename Part>
  Matrix stack(const Part& part) const {
    std::vector<std::vector<double>> models;
    for (const Reference* shadow : out_) models.push_back(part(*shadow));
    return stacked_models(models);
  }

  void add_iam(const Reference& target, std::map<std::string, std::vector<double>>& result) const {
    const ShadowMoments moments =
        shadow_moments(stack([](const Reference& shadow) { return shadow.response; }));
    if (in_.model != nullptr) {
      result["iam.online"] = iam_scores(target.response, moments, in_.response, settings_.iam);
    }
    std::vector<std::vector<double>> training;
    for (const Reference* shadow : out_) {
      if (!shadow->training.empty()) training.push_back(shadow->training);
    }
    if (training.size() != out_.size()) return;
    const std::vector<double> in(target.response.size(), offline_in(training));
    result["iam.offline"] = iam_scores(target.response, moments, in, settings_.iam);
  }

  /// p(x) or p(z): OUT models, and for `online` as many copies of the original.
  std::vector<double> rmia_reference(bool population, bool online) const {
    const auto part = [&](const Reference& model) {
      return population ? model.rmia_population : model.rmia_rows;
    };
    std::vector<std::vector<double>> models;
    for (const Reference* shadow : out_) models.push_back(part(*shadow));
    const double trimmed = taylor() ? 0.2 : 0;
    if (!online) {
      return offline_reference(mean_signals(stacked_models(models), trimmed),
                               taylor() ? rmia_.a : 0.3);
    }
    models.resize(2 * models.size(), part(in_));
    return mean_signals(stacked_models(models), trimmed);
  }

  void add_rmia(const Reference& target, std::map<std::string, std::vector<double>>& result) const {
    if (!population_ || target.rmia_population.empty()) return;
    for (const bool online : {false, true}) {
      if (online && (in_.model == nullptr || in_.rmia_population.empty())) continue;
      result[online ? "rmia.online" : "rmia.offline"] =
          rmia_scores(likelihood_ratios(target.rmia_rows, rmia_reference(false, online)),
                      likelihood_ratios(target.rmia_population, rmia_reference(true, online)),
                      taylor() ? 2 : 1, taylor() ? PairRule::reciprocal : PairRule::quotient);
    }
  }

  const evidence::Evidence& evidence_;
  IamSettings settings_;
  RmiaSettings rmia_;
  std::uint64_t seed_;
  Context context_;
  std::vector<Reference> all_;
  std::vector<const Reference*> out_;
  Reference in_;
  std::optional<UnleakAttack> unleak_;
  bool population_ = true;
};

Support score_ui_support(const evidence::Evidence& evidence) {
  if (evidence.find_labels("forget") == nullptr || evidence.find_labels("retain") == nullptr) {
    return {false, reason(Code::needs_labels, std::vector<std::string>{"forget", "retain"},
                          "labels/{forget,retain}.npy")};
  }
  const auto series = all_series(evidence);
  const bool any = std::any_of(series.begin(), series.end(), [](const auto& each) {
    return each.second.size() > 1 && each.second.front().membership < each.second.back().membership;
  });
  if (!any) {
    return {false, reason(Code::needs_graded_checkpoints,
                          "checkpoint/graded.SHARE/0/{forget,retain}.npy")};
  }
  if (out_models(evidence, query_splits()).size() < 2) {
    return {true, reason(Code::without_shadow_attacks, "shadow/{0,1}/{forget,retain,test}.npy")};
  }
  return {true};
}

Measurements measure_score_ui(const Comparison& comparison, const Request& request, Progress&) {
  const evidence::Evidence& evidence = *comparison.evidence;
  const auto series = all_series(evidence);
  SeriesScores scorer(evidence, request);
  std::map<std::string, std::vector<double>> correlations;  // attack -> one per series
  std::size_t n = 0;
  for (const auto& [name, models] : series) {
    scorer.choose(name);
    std::map<std::string, std::vector<double>> scores;
    std::vector<double> membership;
    for (std::size_t index = 0; index < models.size(); ++index) {
      std::size_t rows = 0;
      for (const auto& [attack, values] : scorer.scores(*models[index].model, index)) {
        scores[attack].insert(scores[attack].end(), values.begin(), values.end());
        rows = values.size();
      }
      membership.insert(membership.end(), rows, models[index].membership);
    }
    for (const auto& [attack, values] : scores) {
      // Where a checkpoint lacks what an attack needs, the series has no correlation by it.
      if (values.size() != membership.size()) continue;
      correlations[attack].push_back(spearman(values, membership).rho);
    }
    n += membership.size();
  }
  Measurements out;
  for (const MetricInfo& info : score_ui_metrics()) {
    Row row = make_row(info.id, comparison, request);
    row.subject = {"checkpoint", {}, {}};
    row.n = n;
    const auto found = correlations.find(std::string(info.id.substr(9)));
    if (found == correlations.end()) {
      row.status = Status::skipped;
      row.notes = {reason(Code::needs_score_ui_models)};
      out.rows.push_back(std::move(row));
      continue;
    }
    row.facts["series"] = found->second.size();
    row.facts["shadows"] = scorer.shadows();
    row.facts["own_shadow"] = "left out";
    if (info.id.find("rmia") != std::string_view::npos) {
      row.settings["form"] = scorer.form();
      if (scorer.form() == "taylor") name_rmia(row, rmia_settings(request));
    }
    row.value = mean(found->second);
    const Estimate estimate = t_interval(found->second);
    if (!std::isnan(estimate.lower)) {
      row.lower = std::max(estimate.lower, -1.0);
      row.upper = std::min(estimate.upper, 1.0);
      row.interval = result::Code::t_over_series;
    }
    if (std::isnan(row.value)) {
      row.status = Status::undefined;
      row.notes = {reason(Code::series_scores_undefined)};
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace

Family score_ui_family() {
  return {.name = "score_ui",
          .summary = "whether membership scores follow a model as it goes from shadow to original",
          .metrics = score_ui_metrics(),
          .ranges = {{"score_ui", kCorrelation}},
          .support = score_ui_support,
          .prepare = each(measure_score_ui),
          .unit = Unit::whole};
}

}  // namespace vestige::metrics
