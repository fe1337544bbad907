// The rows of the attack family.
#include "vestige/metrics/attacks/attacks_family.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>

#include "vestige/base/seed.h"
#include "vestige/metrics/attacks/attack_references.h"
#include "vestige/metrics/inputs/held_rows.h"
#include "vestige/metrics/inputs/iam_evidence.h"
#include "vestige/metrics/inputs/row_cost.h"
#include "vestige/metrics/inputs/true_class.h"
#include "vestige/metrics/options.h"
#include "vestige/metrics/scores/emia.h"
#include "vestige/metrics/scores/lira.h"
#include "vestige/metrics/scores/rmia.h"
#include "vestige/metrics/scores/unleak.h"
#include "vestige/metrics/series.h"
#include "vestige/metrics/stats/attack_result.h"

namespace vestige::metrics {
namespace {

MetricInfo attack(std::string_view id, int place, std::string_view name, std::string_view what) {
  return {.id = id,
          .direction = Direction::match,
          .ideal = kUndefined,
          .name = name,
          .what = what,
          .shows_forgetting = true,
          .speech = Speech{.place = place,
                           .under = "to a membership attack its forget examples still look like "
                                    "training data",
                           .over = "its forget examples stand out more than those of a model "
                                   "that never saw them",
                           .against_retain = true}};
}

std::vector<MetricInfo> attacks_metrics() {
  return {
      attack("attacks.lira.online.auc", 61, "LiRA AUC",
             "AUC of the likelihood-ratio attack with the original as IN model"),
      attack("attacks.lira.offline.auc", 62, "LiRA AUC (offline)",
             "AUC of the likelihood-ratio attack with OUT models only"),
      attack("attacks.rmia.online.auc", 63, "RMIA AUC",
             "AUC of the pairwise likelihood-ratio attack with the original as IN model"),
      attack("attacks.rmia.offline.auc", 64, "RMIA AUC (offline)",
             "AUC of the pairwise likelihood-ratio attack with OUT models only"),
      attack("attacks.emia_p.auc", 65, "EMIA-P AUC",
             "AUC of the rank of an example's loss among test examples"),
      attack("attacks.emia_r.auc", 66, "EMIA-R AUC",
             "AUC of the rank of an example's loss among shadow models"),
      attack("attacks.update.auc", 67, "update attack AUC",
             "AUC of the change of the offline likelihood score from the original to the model"),
      attack("attacks.unleak.auc", 68, "UnLeak AUC",
             "AUC of a classifier on posterior changes, trained on shadow models before and after "
             "unlearning"),
      attack("attacks.loss.auc", 60, "loss attack AUC", "AUC of the example's loss"),
      {"attacks.random.auc", Direction::match, 0.5, "random scores AUC",
       "AUC of uniform random scores, for comparison"},
  };
}

constexpr const char* kShadowFiles = "shadow/0/{forget,retain,test}.npy";

Reason needs_shadow() { return reason(Code::needs_shadow_models, 1, kShadowFiles); }
Reason needs_original() {
  return reason(Code::needs_original_model, "original/0/{forget,retain,test}.npy");
}

/// All attacks on one model.
class Attacks {
 public:
  Attacks(const Comparison& comparison, const Request& request, const ShadowPart& shadows,
          const OriginalPart& original, Measurements& out)
      : comparison_(comparison),
        evidence_(*comparison.evidence),
        request_(request),
        shadows_(shadows),
        original_(original),
        out_(out),
        candidate_(*comparison.candidate.front()),
        forget_rows_(evidence_.find_labels("forget")->size()),
        gives_series_(gives_series(comparison)),
        target_(true_class(request.context, evidence_, candidate_, query_splits())) {}

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
           Reason note = {}) {
    Row row = make_row(fmt::format("attacks.{}.auc", attack), comparison_, request_);
    const std::span<const double> all(scores);
    const AttackResult result = evaluate_attack(all.subspan(forget_rows_), all.first(forget_rows_));
    row.value = result.auc.value;
    row.lower = result.auc.lower;
    row.upper = result.auc.upper;
    if (!std::isnan(row.lower)) row.interval = result::Code::delong;
    row.n = scores.size();
    if (!note.empty()) row.notes = {std::move(note)};
    if (!form.empty()) row.settings["form"] = form;
    if (form == "taylor") name_rmia(row, shadows_.rmia);
    row.facts["shadows"] = shadows_.models.size();
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
    row.facts["tpr_at_fpr"] = std::move(rates);
    if (std::isnan(row.value)) {
      row.status = Status::undefined;
      if (row.notes.empty()) row.notes = {reason(Code::no_finite_score)};
    } else if (gives_series_ && attack != "random") {  // nobody looks at the curve of noise
      Series curve = roc_series(fmt::format("attacks.{}", attack), all.subspan(forget_rows_),
                                all.first(forget_rows_), comparison_);
      if (!form.empty()) curve.params["form"] = form;
      out_.series.push_back(std::move(curve));
    }
    out_.rows.push_back(std::move(row));
  }

  /// Rows of other settings than IAM's usual ones say so.
  /// One line per method; controls would only repeat it.
  void skip(std::string_view attack, std::string_view form, Reason why) {
    if (comparison_.control != Control::none) return;
    Row row = make_row(fmt::format("attacks.{}.auc", attack), comparison_, request_);
    row.status = Status::skipped;
    row.notes = {std::move(why)};
    if (!form.empty()) row.settings["form"] = form;
    out_.rows.push_back(std::move(row));
  }

  /// `reference` form: the raw true-class logit stands for the scaled confidence.
  void measure_emia() {
    for (const std::string_view form : {"scaled", "reference"}) {
      const bool raw = form == "reference";
      if (raw && !shadows_.logits) continue;
      const auto losses = [&](const TrueClass& rows) {
        return logistic_losses(raw ? rows.output : rows.scaled);
      };
      const std::vector<double> target = losses(target_);
      if (covers(candidate_, population_split())) {
        add("emia_p", form,
            emia_p(target, losses(true_class(request_.context, evidence_, candidate_,
                                             population_split()))));
      } else {
        skip("emia_p", form, reason(Code::needs_test_set, candidate_.id() + "/test.npy"));
      }
      if (shadows_.models.empty()) {
        skip("emia_r", form, needs_shadow());
        continue;
      }
      std::vector<std::vector<double>> shadow_losses;
      for (const TrueClass& rows : shadows_.rows) shadow_losses.push_back(losses(rows));
      add("emia_r", form, emia_r(target, stacked_models(shadow_losses)));
    }
  }

  void measure_lira() {
    if (shadows_.models.empty()) {
      for (const std::string_view attack : {"lira.offline", "lira.online", "update"}) {
        skip(attack, "", needs_shadow());
      }
      return;
    }
    const ShadowMoments& out = shadows_.moments;
    const Reason note = shadows_.models.size() > 1 ? Code::none : Code::one_shadow_has_no_spread;
    add("lira.offline", "iam", lira_offline(target_.scaled, out), note);
    if (original_.model == nullptr) {
      for (const std::string_view attack : {"lira.online", "update"}) {
        skip(attack, "", needs_original());
      }
    } else {
      add("lira.online", "iam", lira_online(target_.scaled, original_.scaled, out), note);
      add("update", "", update_attack(target_.scaled, original_.scaled, out), note);
    }
    // What the code published with IAM takes where rows are forgotten at random, and with one
    // shadow: then the deviation is 1e-30, and rows rank by their distance from the shadow.
    add("lira.offline", "density", lira_density(target_.scaled, out), note);
    // The authors' form, with one standard deviation for all rows: there is one IN model only.
    std::vector<double> pool(shadows_.scaled.values().begin(), shadows_.scaled.values().end());
    std::vector<std::uint8_t> keep(pool.size(), 0);
    if (original_.model != nullptr) {
      pool.insert(pool.end(), original_.scaled.begin(), original_.scaled.end());
      keep.resize(pool.size(), 1);
    }
    const LiraPool models{pool, keep, target_.scaled.size(), 1};
    const LiraPoolScores scores = lira_pool(models, target_.scaled, true);
    const bool many = shadows_.models.size() >= kModelsForDeviations;
    add("lira.offline", "tf",
        many ? lira_pool(models, target_.scaled, false).offline : scores.offline);
    if (original_.model != nullptr) add("lira.online", "tf", scores.online);
  }

  void measure_rmia(RmiaSignal signal) {
    const bool softmax = signal == RmiaSignal::softmax;
    const std::string_view form = softmax ? "softmax" : "taylor";
    if (!softmax && !shadows_.logits) {
      for (const std::string_view attack : {"rmia.offline", "rmia.online"}) {
        skip(attack, form, Code::needs_logits);
      }
      return;
    }
    for (const bool online : {false, true}) {
      const std::string_view attack = online ? "rmia.online" : "rmia.offline";
      if (!shadows_.population || !covers(candidate_, population_split())) {
        skip(attack, form,
             shadows_.models.empty() ? needs_shadow()
                                     : reason(Code::needs_test_set, "ROLE/0/test.npy"));
        continue;
      }
      if (online && original_.online.empty()) {
        skip(attack, form, needs_original());
        continue;
      }
      const RmiaReference& reference =
          online ? original_.online.at(signal) : shadows_.offline.at(signal);
      const std::vector<double> x =
          likelihood_ratios(rmia_values(request_.context, evidence_, candidate_, signal,
                                        query_splits(), shadows_.rmia),
                            reference.rows);
      const std::vector<double> z =
          likelihood_ratios(rmia_values(request_.context, evidence_, candidate_, signal,
                                        population_split(), shadows_.rmia),
                            reference.population);
      add(attack, form,
          rmia_scores(x, z, softmax ? 1 : 2, softmax ? PairRule::quotient : PairRule::reciprocal));
    }
  }

  void measure_unleak() {
    if (evidence_.classes < kUnleakClasses) {
      return skip("unleak", "", reason(Code::needs_classes, kUnleakClasses));
    }
    if (shadows_.unleak == nullptr) {
      return skip("unleak", "",
                  reason(Code::needs_shadow_pairs,
                         "shadow/{0,0.unlearned}/{shadow_forget,shadow_retain}.npy"));
    }
    if (original_.model == nullptr) return skip("unleak", "", needs_original());
    add("unleak", "",
        unleak_scores(*shadows_.unleak, evidence_, *original_.model, candidate_, query_splits()));
  }

  const Comparison& comparison_;
  const evidence::Evidence& evidence_;
  const Request& request_;
  const ShadowPart& shadows_;
  const OriginalPart& original_;
  Measurements& out_;
  const evidence::Model& candidate_;
  std::size_t forget_rows_;
  bool gives_series_;
  TrueClass target_;
};

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
            reason(Code::needs_outputs_and_labels, std::vector<std::string>{"forget", "retain"},
                   "unlearned/METHOD/0/{forget,retain}.npy, labels/{forget,retain}.npy")};
  }
  if (out_models(evidence, query_splits()).empty()) {
    return {true, reason(Code::scores_need_files,
                         std::vector<std::string>{"LiRA", "RMIA", "EMIA-R", "update", "UnLeak"},
                         kShadowFiles)};
  }
  return {true, {}};
}

Reason attacks_too_large(const evidence::Evidence& evidence, const Json&, const Context& context) {
  return outputs_beyond_memory(context, evidence, {"shadow_forget", "shadow_retain"});
}

Measure prepare_attacks(const Preparation& from) {
  const Request& request = from.request;
  const auto shadows =
      std::make_shared<const ShadowPart>(request.context, from.evidence,
                                         drawn_models(out_models(from.evidence, query_splits()),
                                                      iam_settings(request).shadows, request.seed),
                                         rmia_settings(request));
  // Pools pair every model with an original of its own; then each is read when it is its turn.
  std::shared_ptr<const OriginalPart> common;
  const auto& all = from.comparisons;
  if (!all.empty() && std::all_of(all.begin(), all.end(), [&](const Comparison& comparison) {
        return comparison.original == all.front().original;
      })) {
    common = std::make_shared<const OriginalPart>(request.context, from.evidence,
                                                  all.front().original, *shadows);
  }
  return [&request, shadows, common](const Comparison& comparison, Progress&) {
    Measurements out;
    if (!covers(*comparison.candidate.front(), query_splits())) return out;
    if (common != nullptr) {
      Attacks(comparison, request, *shadows, *common, out).measure();
    } else {
      const OriginalPart own(request.context, *comparison.evidence, comparison.original, *shadows);
      Attacks(comparison, request, *shadows, own, out).measure();
    }
    return out;
  };
}

Reason attacks_impossible(const Planned& planned) {
  for (const char* attack : {"attacks.lira", "attacks.rmia"}) {
    if (planned.asks(attack) && planned.models.at("shadow") == 0) {
      return reason(Code::planned_shadows_missing, attack);
    }
  }
  return {};
}

std::vector<std::pair<std::string_view, std::string_view>> former_ids() {
  return {{"mia.lira", "attacks.lira"},     {"mia.rmia", "attacks.rmia"},
          {"mia.emia_p", "attacks.emia_p"}, {"mia.emia_r", "attacks.emia_r"},
          {"mia.update", "attacks.update"}, {"mia.unleak", "attacks.unleak"},
          {"mia.loss", "attacks.loss"},     {"mia.random", "attacks.random"}};
}

/// Measured as docs/performance.md tells.
std::optional<Cost> attacks_cost(const evidence::Evidence& evidence, const Json&) {
  return row_cost(evidence, attacked_roles(), {"forget", "retain", "test"},
                  {.output = 0.6, .row = 4400});
}

}  // namespace

Family attacks_family() {
  return {
      .name = "attacks",
      .summary = "AUC of membership attacks that score examples, with and without shadow models",
      .metrics = attacks_metrics(),
      .ranges = {{"attacks", kShare}},
      .support = attack_support,
      .prepare = prepare_attacks,
      .options = attack_options().options(),
      .formerly = former_ids(),
      .impossible = attacks_impossible,
      .too_large = attacks_too_large,
      .cost = attacks_cost};
}

}  // namespace vestige::metrics
