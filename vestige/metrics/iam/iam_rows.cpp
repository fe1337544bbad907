// The rows and columns of IAM.
#include "vestige/metrics/iam/iam_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "vestige/metrics/iam/unlearning_risk.h"
#include "vestige/metrics/inputs/accuracy.h"
#include "vestige/metrics/inputs/iam_evidence.h"
#include "vestige/metrics/inputs/true_class.h"
#include "vestige/metrics/series.h"
#include "vestige/metrics/stats/attack_result.h"
#include "vestige/metrics/stats/rank_tests.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

constexpr std::size_t kListedSubjects = 20;
constexpr std::size_t kScoreBins = 40;

std::string_view mode_name(IamMode mode) { return mode == IamMode::online ? "online" : "offline"; }

Json group_json(const std::vector<GroupRate>& groups, std::size_t most) {
  Json list = Json::array();
  for (const GroupRate& group : groups) {
    if (list.size() == most) break;
    list.push_back({{"group", group.group},
                    {"n", group.n},
                    {"rate", json_number(group.rate.value)},
                    {"lower", json_number(group.rate.lower)},
                    {"upper", json_number(group.rate.upper)}});
  }
  return list;
}

/// One model's scores in one mode, and all that its rows need.
class Report {
 public:
  Report(const Comparison& comparison, const Request& request, const IamSettings& settings,
         const IamModels& models, const ReferenceScores& references, IamMode mode,
         Measurements& out)
      : comparison_(comparison),
        request_(request),
        settings_(settings),
        scorings_(settings.scorings()),
        models_(models),
        references_(references),
        mode_(mode),
        out_(out),
        forget_rows_(comparison.evidence->find_labels("forget")->size()) {}

  void skip(const Reason& why) {
    Row row = make("auc", scorings_.front());
    row.status = Status::skipped;
    row.notes = {why};
    out_.rows.push_back(std::move(row));
  }

  void measure() {
    const Scoring main = scorings_.front();
    scores_ = models_.scores(*comparison_.candidate.front(), mode_, main);
    add_auc(scores_, main);
    for (std::size_t index = 1; index < scorings_.size(); ++index) {
      const Scoring other = scorings_[index];
      add_auc(models_.scores(*comparison_.candidate.front(), mode_, other), other);
    }
    add_rates_at_low_fpr(main);
    add_mean("mean.forget", forget(scores_), main);
    add_mean("mean.retain", retain(scores_), main);
    const evidence::Model* reference = nullptr;
    for (const evidence::Model* model : comparison_.retrained) {
      if (reference == nullptr && covers(*model, query_splits())) reference = model;
    }
    std::vector<double> theirs;
    if (reference != nullptr) {
      const auto known = references_.find({reference, mode_});
      theirs = known != references_.end() ? known->second : models_.scores(*reference, mode_, main);
    }
    add_under(theirs, main);
    add_over(theirs, main);
    Row bce = make("bce", main);
    bce.value = weighted_cross_entropy(forget(scores_), retain(scores_));
    bce.n = scores_.size();
    push(std::move(bce));
    add_columns();
    add_histograms(main);
  }

  /// ScoreUI: the forget rows of all graded models, whose membership is known, together.
  void add_graded() {
    std::vector<double> scores;
    std::vector<double> membership;
    const auto add = [&](const evidence::Group* group, double known) {
      if (group == nullptr) return;
      for (const evidence::Model& model : group->models) {
        if (!covers(model, query_splits())) continue;
        const std::vector<double> all = models_.scores(model, mode_, scorings_.front());
        const auto rows = forget(all);
        scores.insert(scores.end(), rows.begin(), rows.end());
        membership.insert(membership.end(), rows.size(), known);
      }
    };
    const evidence::Evidence& evidence = *comparison_.evidence;
    add(evidence.find("original"), 1);
    add(evidence.find("retrained"), 0);
    for (const evidence::Group& group : evidence.groups) {
      if (group.role != "partial") continue;
      const std::optional<double> removed = removed_fraction(group);
      if (removed) add(&group, 1 - *removed);
    }
    Row row = make("spearman", scorings_.front());
    row.subject = {"partial", {}, {}};
    row.value = spearman(scores, membership).rho;
    row.n = scores.size();
    row.notes = {reason(Code::membership_by_removal)};
    push(std::move(row));
  }

 private:
  std::span<const double> forget(std::span<const double> scores) const {
    return scores.first(forget_rows_);
  }
  std::span<const double> retain(std::span<const double> scores) const {
    return scores.subspan(forget_rows_);
  }

  std::optional<double> removed_fraction(const evidence::Group& group) const {
    const auto& declared = comparison_.evidence->removed_fraction;
    const auto found = declared.find(group.method);
    if (found != declared.end()) return found->second;
    double percent = 0;
    const char* end = group.method.data() + group.method.size();
    const auto parsed = std::from_chars(group.method.data(), end, percent);
    if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    return percent / 100;
  }

  Row make(std::string_view what, Scoring scoring) const {
    Row row = make_row(fmt::format("iam.{}.{}", mode_name(mode_), what), comparison_, request_);
    row.settings["score"] = name(scoring);
    if (!settings_.response.bounded) row.settings["map"] = "unbounded";
    row.facts = {{"shadows", models_.shadow_count()},
                 {"levels", settings_.iam.levels},
                 {"variance", settings_.iam.variance == IamVariance::global ? "global" : "per_row"},
                 {"epsilon1", settings_.response.epsilon1},
                 {"epsilon2", settings_.response.epsilon2}};
    return row;
  }

  void push(Row row) {
    if (std::isnan(row.value) && row.status == Status::ok) {
      row.status = Status::undefined;
      if (row.notes.empty()) row.notes = {models_.why_undefined()};
    }
    out_.rows.push_back(std::move(row));
  }

  static void set(Row& row, const Estimate& estimate, const Reason& interval) {
    row.value = estimate.value;
    row.lower = estimate.lower;
    row.upper = estimate.upper;
    if (!std::isnan(row.lower)) row.interval = interval;
  }

  void add_auc(const std::vector<double>& scores, Scoring scoring) {
    Row row = make("auc", scoring);
    set(row, auc_interval(retain(scores), forget(scores)), result::Code::delong);
    row.n = scores.size();
    if (!std::isnan(row.value) && gives_series(comparison_)) {
      Series curve = roc_series(fmt::format("iam.{}", mode_name(mode_)), retain(scores),
                                forget(scores), comparison_);
      curve.params["score"] = name(scoring);
      out_.series.push_back(std::move(curve));
    }
    push(std::move(row));
  }

  void add_rates_at_low_fpr(Scoring scoring) {
    const AttackResult attack = evaluate_attack(retain(scores_), forget(scores_));
    for (const LowRate& rate : attack.rates) {
      Row row = make("tpr", scoring);
      row.settings["fpr"] = rate.fpr;
      set(row, rate.tpr, result::Code::clopper_pearson_threshold_fixed);
      row.n = attack.members;
      if (!rate.resolvable && !std::isnan(attack.auc.value)) {
        row.notes = {reason(Code::rate_not_resolvable, attack.nonmembers,
                            100.0 / static_cast<double>(attack.nonmembers))};
      }
      push(std::move(row));
    }
  }

  void add_mean(std::string_view what, std::span<const double> scores, Scoring scoring) {
    Row row = make(what, scoring);
    set(row, t_interval(scores), result::Code::t_over_examples);
    row.n = scores.size();
    row.terms.assign(scores.begin(), scores.end());
    push(std::move(row));
  }

  RowFacts facts(std::string_view split, std::span<const double> confidence) const {
    const evidence::Evidence& evidence = *comparison_.evidence;
    RowFacts facts;
    facts.classes = *evidence.find_labels(split);
    const auto subjects = evidence.subjects.find(std::string(split));
    if (subjects != evidence.subjects.end()) facts.subjects = subjects->second;
    facts.out_confidence = confidence;
    return facts;
  }

  Row risk_row(std::string_view what, Risk risk, double threshold, std::string_view split,
               std::span<const double> scores, std::span<const double> theirs, Scoring scoring) {
    const std::vector<double> confidence = models_.out_confidence();
    const RiskRate ours = risk_rate(
        scores, risk, threshold,
        facts(split, risk == Risk::under_unlearned ? forget(confidence) : retain(confidence)));
    Row row = make(what, scoring);
    set(row, ours.rate, result::Code::clopper_pearson);
    row.n = ours.n;
    row.facts[risk == Risk::under_unlearned ? "delta1" : "delta2"] = threshold;
    row.facts["by_class"] = group_json(ours.by_class, ours.by_class.size());
    row.facts["by_difficulty"] = group_json(ours.by_difficulty, ours.by_difficulty.size());
    if (!ours.by_subject.empty()) {
      row.facts["by_subject"] = group_json(ours.by_subject, kListedSubjects);
    }
    Json worst = Json::array();
    for (const std::size_t index : ours.worst) {
      worst.push_back({{"row", index}, {"score", scores[index]}});
    }
    row.facts["worst_rows"] = std::move(worst);
    if (!theirs.empty()) {
      const RiskRate retrained = risk_rate(theirs, risk, threshold);
      row.facts["retrained"] = {{"rate", json_number(retrained.rate.value)},
                                {"lower", json_number(retrained.rate.lower)},
                                {"upper", json_number(retrained.rate.upper)}};
    }
    for (const double score : scores) {
      const bool flagged = risk == Risk::under_unlearned ? score > threshold : score < threshold;
      row.terms.push_back(std::isnan(score) ? kUndefined : flagged ? 1 : 0);
    }
    return row;
  }

  void add_under(const std::vector<double>& theirs, Scoring scoring) {
    const std::span<const double> reference =
        theirs.empty() ? std::span<const double>() : forget(theirs);
    Row row = risk_row("under_unlearned", Risk::under_unlearned, settings_.delta1, "forget",
                       forget(scores_), reference, scoring);
    const bool is_retrained = comparison_.control == Control::retrained;
    const double rate =
        is_retrained ? row.value
        : reference.empty()
            ? kUndefined
            : risk_rate(reference, Risk::under_unlearned, settings_.delta1).rate.value;
    // 5 %: clearly more than the 0.01 +- 0.01 mean score of retrained models in the paper's class
    // forgetting, from which delta1 comes.
    if (rate > 0.05) {
      row.notes = {reason(Code::delta1_flags_retrained, settings_.delta1, 100 * rate)};
    } else if (std::isnan(rate) && !std::isnan(row.value)) {
      row.notes = {reason(Code::delta1_without_retrained)};
    }
    push(std::move(row));
  }

  void add_over(const std::vector<double>& theirs, Scoring scoring) {
    const std::vector<double> accuracy =
        comparison_.original.empty()
            ? std::vector<double>()
            : accuracies(request_.context, *comparison_.evidence, comparison_.original, "test");
    if (accuracy.empty()) {
      Row row = make("over_unlearned", scoring);
      row.status = Status::skipped;
      row.notes = {reason(Code::needs_original_model, "original/0/test.npy")};
      out_.rows.push_back(std::move(row));
      return;
    }
    const double threshold = settings_.delta2_constant - mean(accuracy);
    push(risk_row("over_unlearned", Risk::over_unlearned, threshold, "retain", retain(scores_),
                  theirs.empty() ? std::span<const double>() : retain(theirs), scoring));
  }

  void add_columns() {
    const std::string column = fmt::format("iam.{}.{}", mode_name(mode_), comparison_.short_name);
    const auto add = [&](const char* split, std::span<const double> values, int worst) {
      out_.columns.push_back(
          {column, split, {values.begin(), values.end()}, {}, worst, Control::none});
    };
    add("forget", forget(scores_), 1);
    add("retain", retain(scores_), 0);
  }

  void add_histograms(Scoring scoring) {
    if (!gives_series(comparison_)) return;
    const std::vector<double> edges = equal_bins(0, 1, kScoreBins);
    const auto add = [&](const char* split, std::span<const double> values) {
      Series series = histogram_series(fmt::format("iam.{}", mode_name(mode_)), split, values,
                                       edges, comparison_);
      series.params["score"] = name(scoring);
      out_.series.push_back(std::move(series));
    };
    add("forget", forget(scores_));
    add("retain", retain(scores_));
  }

  const Comparison& comparison_;
  const Request& request_;
  const IamSettings& settings_;
  std::vector<Scoring> scorings_;
  const IamModels& models_;
  const ReferenceScores& references_;
  IamMode mode_;
  Measurements& out_;
  std::size_t forget_rows_;
  std::vector<double> scores_;
};

bool is_first_graded(const Comparison& comparison) {
  if (comparison.control != Control::graded) return false;
  for (const evidence::Group& group : comparison.evidence->groups) {
    if (group.role == "partial") return &group.models.front() == comparison.candidate.front();
  }
  return false;
}

}  // namespace

void add_iam_rows(const Comparison& comparison, const Request& request, const IamSettings& settings,
                  const IamModels& models, const ReferenceScores& references, Measurements& out) {
  for (const IamMode mode : {IamMode::online, IamMode::offline}) {
    Report report(comparison, request, settings, models, references, mode, out);
    if (!covers(*comparison.candidate.front(), query_splits())) {
      report.skip(reason(Code::needs_outputs, std::vector<std::string>{"forget", "retain"},
                         comparison.subject.id() + "/{forget,retain}.npy"));
      continue;
    }
    const Reason missing = models.missing(mode);
    if (!missing.empty()) {
      report.skip(missing);
      continue;
    }
    report.measure();
    if (is_first_graded(comparison)) report.add_graded();
  }
}

}  // namespace vestige::metrics
