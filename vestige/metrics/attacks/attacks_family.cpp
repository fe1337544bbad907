// The rows of the attack family.
#include "vestige/metrics/attacks/attacks_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/inputs/true_class.h"
#include "vestige/metrics/scores/emia.h"
#include "vestige/metrics/scores/lira.h"
#include "vestige/metrics/scores/rmia.h"
#include "vestige/metrics/scores/unleak.h"
#include "vestige/metrics/series.h"
#include "vestige/metrics/stats/attack_result.h"

namespace vestige::metrics {
namespace {

constexpr MetricInfo kMetrics[] = {
    {"mia.lira.online.auc", Direction::match, kUndefined,
     "AUC of the likelihood-ratio attack with the original as IN model", true},
    {"mia.lira.offline.auc", Direction::match, kUndefined,
     "AUC of the likelihood-ratio attack with OUT models only", true},
    {"mia.rmia.online.auc", Direction::match, kUndefined,
     "AUC of the pairwise likelihood-ratio attack with the original as IN model", true},
    {"mia.rmia.offline.auc", Direction::match, kUndefined,
     "AUC of the pairwise likelihood-ratio attack with OUT models only", true},
    {"mia.emia_p.auc", Direction::match, kUndefined,
     "AUC of the rank of a row's loss among test rows", true},
    {"mia.emia_r.auc", Direction::match, kUndefined,
     "AUC of the rank of a row's loss among shadow models", true},
    {"mia.update.auc", Direction::match, kUndefined,
     "AUC of the change of the offline likelihood score from original to unlearned", true},
    {"mia.unleak.auc", Direction::match, kUndefined,
     "AUC of a classifier on posterior changes, trained on shadow pairs", true},
    {"mia.loss.auc", Direction::match, kUndefined, "AUC of the row's loss", true},
    {"mia.random.auc", Direction::match, 0.5, "AUC of uniform random scores: what noise looks like",
     false},
};

const std::vector<std::string_view> kPopulation = {"test"};
const std::vector<std::string_view> kPairSplits = {"shadow_forget", "shadow_retain"};

constexpr std::string_view kNeedsShadow =
    "needs a shadow model: add shadow/0/{forget,retain,test}.npy";
constexpr std::string_view kNeedsOriginal =
    "needs the original model: add original/0/{forget,retain,test}.npy";
constexpr std::string_view kNeedsPairs =
    "needs shadow pairs: add shadow/0 and shadow/0.unlearned, each with "
    "{shadow_forget,shadow_retain}.npy";

Matrix stacked(const std::vector<std::vector<double>>& models) {
  Matrix result(models.size(), models.empty() ? 0 : models.front().size());
  for (std::size_t model = 0; model < models.size(); ++model) {
    std::copy(models[model].begin(), models[model].end(), result.row(model).begin());
  }
  return result;
}

/// Everything about one comparison that the attacks share.
class Attacks {
 public:
  Attacks(const Comparison& comparison, const Request& request, Measurements& out)
      : comparison_(comparison),
        evidence_(*comparison.evidence),
        request_(request),
        out_(out),
        candidate_(*comparison.candidate.front()),
        forget_rows_(evidence_.find_labels("forget")->size()),
        gives_series_(gives_series(comparison)),
        target_(true_class(evidence_, candidate_, query_splits())) {
    const std::size_t limit = request.options.value("iam.shadows", std::size_t{0});
    shadows_ = out_models(evidence_, query_splits(), limit);
    for (const evidence::Model* model : shadows_) {
      out_rows_.push_back(true_class(evidence_, *model, query_splits()));
    }
    for (const evidence::Model* model : comparison.original) {
      if (original_ == nullptr && covers(*model, query_splits())) original_ = model;
    }
    if (original_ != nullptr) in_rows_ = true_class(evidence_, *original_, query_splits());
  }

  void measure() {
    add("loss", "", target_.log_probability);
    Stream stream(request_.seed, "mia.random");
    std::vector<double> random(target_.scaled.size());
    for (double& score : random) score = stream.uniform();
    add("random", "", random);
    measure_emia();
    measure_lira();
    measure_rmia(RmiaSignal::taylor);
    measure_rmia(RmiaSignal::softmax);
    measure_unleak();
  }

 private:
  void add(std::string_view attack, std::string_view form, const std::vector<double>& scores,
           std::string note = {}) {
    Row row = make_row(fmt::format("mia.{}.auc", attack), comparison_, request_);
    const std::span<const double> all(scores);
    const AttackResult result = evaluate_attack(all.subspan(forget_rows_), all.first(forget_rows_));
    row.value = result.auc.value;
    row.lower = result.auc.lower;
    row.upper = result.auc.upper;
    if (!std::isnan(row.lower)) row.interval = "DeLong 95 %";
    row.n = scores.size();
    row.note = std::move(note);
    if (!form.empty()) row.params["form"] = form;
    row.params["shadows"] = shadows_.size();
    Json rates = Json::array();
    for (const LowRate& rate : result.rates) {
      Json entry = {{"fpr", rate.fpr}};
      if (rate.resolvable) {
        entry["tpr"] = rate.tpr.value;
        entry["lower"] = rate.tpr.lower;
        entry["upper"] = rate.tpr.upper;
      } else {
        entry["tpr"] = "not resolvable";
      }
      rates.push_back(std::move(entry));
    }
    row.params["tpr_at_fpr"] = std::move(rates);
    if (std::isnan(row.value)) {
      row.status = Status::undefined;
      if (row.note.empty()) row.note = "some row has no score";
    } else if (gives_series_) {
      Series curve = roc_series(fmt::format("mia.{}", attack), all.subspan(forget_rows_),
                                all.first(forget_rows_), comparison_);
      if (!form.empty()) curve.params["form"] = form;
      out_.series.push_back(std::move(curve));
    }
    out_.rows.push_back(std::move(row));
  }

  /// One line per method; controls would only repeat it.
  void skip(std::string_view attack, std::string_view form, std::string_view sentence) {
    if (comparison_.control != Control::none) return;
    Row row = make_row(fmt::format("mia.{}.auc", attack), comparison_, request_);
    row.status = Status::skipped;
    row.note = sentence;
    if (!form.empty()) row.params["form"] = form;
    out_.rows.push_back(std::move(row));
  }

  bool has_logits() const { return evidence_.kind == evidence::OutputKind::logits; }

  /// `reference` form: the raw true-class logit stands for the scaled confidence.
  void measure_emia() {
    for (const std::string_view form : {"scaled", "reference"}) {
      const bool raw = form == "reference";
      if (raw && !has_logits()) continue;
      const auto losses = [&](const TrueClass& rows) {
        return logistic_losses(raw ? rows.output : rows.scaled);
      };
      const std::vector<double> target = losses(target_);
      if (covers(candidate_, kPopulation)) {
        add("emia_p", form, emia_p(target, losses(true_class(evidence_, candidate_, kPopulation))));
      } else {
        skip("emia_p", form, "needs outputs on test rows: add test.npy beside forget.npy");
      }
      if (shadows_.empty()) {
        skip("emia_r", form, kNeedsShadow);
        continue;
      }
      std::vector<std::vector<double>> shadow_losses;
      for (const TrueClass& rows : out_rows_) shadow_losses.push_back(losses(rows));
      add("emia_r", form, emia_r(target, stacked(shadow_losses)));
    }
  }

  void measure_lira() {
    if (shadows_.empty()) {
      for (const std::string_view attack : {"lira.offline", "lira.online", "update"}) {
        skip(attack, "", kNeedsShadow);
      }
      return;
    }
    std::vector<std::vector<double>> values;
    for (const TrueClass& rows : out_rows_) values.push_back(rows.scaled);
    const Matrix shadow_values = stacked(values);
    const ShadowMoments out = shadow_moments(shadow_values);
    const std::string note =
        shadows_.size() > 1 ? ""
                            : "one shadow model has no spread: the score only says whether the "
                              "model is above or below it";
    add("lira.offline", "iam", lira_offline(target_.scaled, out), note);
    if (original_ == nullptr) {
      for (const std::string_view attack : {"lira.online", "update"}) {
        skip(attack, "", kNeedsOriginal);
      }
    } else {
      add("lira.online", "iam", lira_online(target_.scaled, in_rows_.scaled, out), note);
      add("update", "", update_attack(target_.scaled, in_rows_.scaled, out), note);
    }
    // The authors' form, with one standard deviation for all rows: there is one IN model only.
    std::vector<double> pool(shadow_values.values().begin(), shadow_values.values().end());
    std::vector<std::uint8_t> keep(pool.size(), 0);
    if (original_ != nullptr) {
      pool.insert(pool.end(), in_rows_.scaled.begin(), in_rows_.scaled.end());
      keep.resize(pool.size(), 1);
    }
    const LiraPoolScores scores =
        lira_pool({pool, keep, target_.scaled.size(), 1}, target_.scaled, true);
    add("lira.offline", "tf", scores.offline);
    if (original_ != nullptr) add("lira.online", "tf", scores.online);
  }

  std::vector<double> signals(const evidence::Model& model, RmiaSignal signal,
                              const std::vector<std::string_view>& splits) const {
    if (signal == RmiaSignal::softmax) return true_class(evidence_, model, splits).probability;
    std::vector<double> result;
    for (const std::string_view split : splits) {
      const std::vector<double> some =
          rmia_signals(evidence::matrix(model.outputs.at(std::string(split))),
                       *evidence_.find_labels(model, split));
      result.insert(result.end(), some.begin(), some.end());
    }
    return result;
  }

  /// p(x) or p(z): OUT models, and for `online` as many copies of the IN model.
  std::vector<double> reference(RmiaSignal signal, const std::vector<std::string_view>& splits,
                                bool online) const {
    const bool softmax = signal == RmiaSignal::softmax;
    const double trimmed = softmax ? 0 : 0.2;
    std::vector<std::vector<double>> models;
    for (const evidence::Model* model : shadows_) models.push_back(signals(*model, signal, splits));
    if (!online) {
      return offline_reference(mean_signals(stacked(models), trimmed), softmax ? 0.3 : 0.33);
    }
    models.resize(2 * models.size(), signals(*original_, signal, splits));
    return mean_signals(stacked(models), trimmed);
  }

  void measure_rmia(RmiaSignal signal) {
    const bool softmax = signal == RmiaSignal::softmax;
    const std::string_view form = softmax ? "softmax" : "taylor";
    if (!softmax && !has_logits()) {
      for (const std::string_view attack : {"rmia.offline", "rmia.online"}) {
        skip(attack, form, "the taylor form needs logits, this evidence holds probabilities");
      }
      return;
    }
    bool population = covers(candidate_, kPopulation) && !shadows_.empty();
    for (const evidence::Model* model : shadows_) {
      population = population && covers(*model, kPopulation);
    }
    for (const bool online : {false, true}) {
      const std::string_view attack = online ? "rmia.online" : "rmia.offline";
      if (!population) {
        skip(attack, form,
             shadows_.empty() ? kNeedsShadow
                              : "needs test rows as the population: add test.npy beside forget.npy "
                                "for every model");
        continue;
      }
      if (online && (original_ == nullptr || !covers(*original_, kPopulation))) {
        skip(attack, form, kNeedsOriginal);
        continue;
      }
      const std::vector<double> x = likelihood_ratios(signals(candidate_, signal, query_splits()),
                                                      reference(signal, query_splits(), online));
      const std::vector<double> z = likelihood_ratios(signals(candidate_, signal, kPopulation),
                                                      reference(signal, kPopulation, online));
      add(attack, form,
          rmia_scores(x, z, softmax ? 1 : 2, softmax ? PairRule::quotient : PairRule::reciprocal));
    }
  }

  std::vector<UnleakPair> pairs() const {
    std::vector<UnleakPair> found;
    const evidence::Group* group = evidence_.find("shadow");
    if (group == nullptr) return found;
    for (const evidence::Model& before : group->models) {
      for (const evidence::Model& after : group->models) {
        if (after.name != before.name + ".unlearned") continue;
        if (!covers(before, kPairSplits) || !covers(after, kPairSplits)) continue;
        const auto posteriors = [&](const evidence::Model& model, const char* split) {
          return evidence::probabilities(model.outputs.at(split), evidence_.kind);
        };
        found.push_back({posteriors(before, "shadow_forget"), posteriors(after, "shadow_forget"),
                         posteriors(before, "shadow_retain"), posteriors(after, "shadow_retain")});
      }
    }
    return found;
  }

  Matrix posteriors(const evidence::Model& model) const {
    Matrix all(target_.scaled.size(), evidence_.classes);
    auto next = all.values().begin();
    for (const std::string_view split : query_splits()) {
      const Matrix part =
          evidence::probabilities(model.outputs.at(std::string(split)), evidence_.kind);
      next = std::copy(part.values().begin(), part.values().end(), next);
    }
    return all;
  }

  void measure_unleak() {
    const std::vector<UnleakPair> known = pairs();
    if (known.empty()) return skip("unleak", "", kNeedsPairs);
    if (original_ == nullptr) return skip("unleak", "", kNeedsOriginal);
    if (evidence_.classes < 4) return skip("unleak", "", "needs at least 4 classes");
    add("unleak", "", unleak_attack(known, posteriors(*original_), posteriors(candidate_)));
  }

  const Comparison& comparison_;
  const evidence::Evidence& evidence_;
  const Request& request_;
  Measurements& out_;
  const evidence::Model& candidate_;
  std::size_t forget_rows_;
  bool gives_series_;
  TrueClass target_;
  Models shadows_;
  std::vector<TrueClass> out_rows_;
  const evidence::Model* original_ = nullptr;
  TrueClass in_rows_;
};

}  // namespace

std::span<const MetricInfo> attack_metrics() { return kMetrics; }

Support attack_support(const evidence::Evidence& evidence) {
  bool any = false;
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      any = any || (group.role != "shadow" && covers(model, query_splits()));
    }
  }
  if (!any || evidence.find_labels("forget") == nullptr ||
      evidence.find_labels("retain") == nullptr) {
    return {false,
            "needs outputs and labels of forget and retain rows: add "
            "unlearned/METHOD/0/{forget,retain}.npy and labels/{forget,retain}.npy"};
  }
  if (out_models(evidence, query_splits(), 0).empty()) {
    return {true,
            "loss, EMIA-P and random only: the other attacks need a shadow model, add "
            "shadow/0/{forget,retain,test}.npy"};
  }
  return {true, ""};
}

Measurements measure_attacks(const Comparison& comparison, const Request& request, Progress&) {
  Measurements out;
  if (!covers(*comparison.candidate.front(), query_splits())) return out;
  Attacks(comparison, request, out).measure();
  return out;
}

}  // namespace vestige::metrics
