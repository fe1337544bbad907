// Tests behind the verdicts.
#include "vestige/audit/verdicts/verdicts.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>

#include "vestige/audit/controls.h"
#include "vestige/audit/verdicts/additions.h"
#include "vestige/audit/verdicts/asked_rows.h"
#include "vestige/audit/verdicts/disorder.h"
#include "vestige/audit/verdicts/missing.h"
#include "vestige/audit/verdicts/power.h"
#include "vestige/audit/verdicts/ruin.h"
#include "vestige/audit/verdicts/shadow_check.h"
#include "vestige/audit/verdicts/speaking.h"
#include "vestige/audit/verdicts/verdict_decision.h"
#include "vestige/evidence/checks/same_models.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/inputs/row_sets.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::audit {
namespace {

using evidence::Evidence;
using evidence::Group;
using metrics::MetricInfo;
using metrics::Row;

constexpr double kUnlike = 0.1;  // from here on the limits name it

/// facts.above says on which side of retrained a distance lies.
Leaning side_of_distance(const Row& method, const Row& original) {
  const auto above = [](const Row& row) {
    const auto found = row.facts.find("above");
    return found == row.facts.end() || !found->is_number() ? 0.5 : found->get<double>();
  };
  return (above(method) - 0.5) * (above(original) - 0.5) >= 0 ? Leaning::under : Leaning::over;
}

class Judge {
 public:
  Judge(const Evidence& evidence, const std::vector<Row>& rows, const VerdictOptions& options)
      : evidence_(evidence),
        rows_(rows),
        options_(options),
        same_(evidence::same_models(evidence)),
        orders_(options.context, evidence) {}

  Verdict judge(const Group& group) {
    Verdict verdict;
    verdict.method = group.method;
    verdict.subject = metrics::subject_of(group);
    if (const evidence::SameModels* copy = find_copy(group)) {
      verdict.same_as = copy->first->id();
      return without(evidence::about(evidence::finding_of(evidence_, *copy)), verdict);
    }
    const RuinFound ruin = find_ruin(options_.context, evidence_, group);
    const Disorder disorder = orders_.of(group);
    if (!disorder.obstacle.empty() && (disorder.wrong_evidence || ruin.ruin == Ruin::none)) {
      return without(disorder.obstacle, verdict);
    }
    std::vector<std::string_view> failed;
    if (evidence_.find("retrained") != nullptr) {
      against_retrained(group, verdict, failed);
    } else if (evidence_.exchangeable) {
      alone(group, verdict);
    }
    apply_ruin(ruin, verdict);
    verdict.additions = additions(rows_, group, options_);
    moved(group, verdict);
    verdict.margin = options_.margin;
    verdict.ruin = ruin.reason;
    if (ruin.ruin == Ruin::none && verdict.form == Form::none) {
      verdict.obstacle = obstacle_to_verdicts(evidence_, group, !failed.empty());
    }
    verdict.word = verdict_word(verdict, ruin.ruin);
    if (verdict.word == Word::forgotten && !disorder.filtered.empty()) {
      return without(disorder.filtered, verdict);
    }
    if (const evidence::SameModels* other = find_namesake(group);
        other != nullptr && verdict.word == Word::forgotten) {
      return without(evidence::about(evidence::finding_of(evidence_, *other)), verdict);
    }
    if (Reason caution = uncertain_utility(verdict); !caution.empty()) {
      verdict.cautions.push_back(std::move(caution));
    }
    if (ruin.ruin == Ruin::none && !disorder.caution.empty()) {
      verdict.cautions.push_back(disorder.caution);
    }
    verdict.limits = limits(grade(evidence_), verdict.form, failed);
    if (const auto declared = declared_accuracies(evidence_, group); !declared.empty()) {
      verdict.limits.push_back(reason(Code::limit_declared_accuracy, declared));
    }
    if (verdict.form == Form::alone) {
      if (Reason check = shadow_check(options_.context, evidence_); !check.empty())
        verdict.limits.push_back(check);
    }
    if (verdict.form == Form::unseen &&
        metrics::forgotten_as_a_whole(evidence_) == metrics::Forgotten::classes) {
      verdict.limits.push_back(Code::limit_class_forgotten);
    }
    // Measured on simulated persons: docs/validation/verdict-rates.md, "People forgotten".
    if (verdict.form == Form::unseen && grade(evidence_).letter == 'B' && levels_differ()) {
      verdict.limits.push_back(Code::limit_people_forgotten);
    }
    if (verdict.form == Form::unseen) {
      if (const double unlike = unlikeness_of_examples(group); unlike > kUnlike) {
        verdict.limits.push_back(reason(Code::limit_unlike_examples, unlike));
      }
    }
    if (verdict.word == Word::not_decided) {
      if (Reason least = detectable(verdict, options_); !least.empty()) {
        verdict.limits.push_back(std::move(least));
      }
    }
    return verdict;
  }

 private:
  /// Of the primary signals the largest (metrics::unlikeness).
  double unlikeness_of_examples(const Group& group) const {
    double largest = 0;
    for (const MetricInfo* metric : speaking_metrics()) {
      const AskedRows asked = ask(rows_, metric->id, group);
      const metrics::Contrast* retrained = AskedRows::contrast(asked.retrained);
      if (metric->speech->core && retrained != nullptr) {
        largest = std::max(largest, metrics::unlikeness(*retrained));
      }
    }
    return largest;
  }

  /// A model of the method that is a retrained one under another name, or an original that is: then
  /// something is compared with itself. nullptr if there is none.
  const evidence::SameModels* find_copy(const Group& group) const {
    for (const evidence::SameModels& same : same_) {
      const bool own = same.second->role == "unlearned" && same.second->method == group.method;
      if (same.first->role == "retrained" && own) return &same;
      if (same.first->role == "original" && same.second->role == "retrained") return &same;
    }
    return nullptr;
  }

  /// A model of the method that another method has too: of one of them no model was exported.
  /// nullptr if there is none.
  const evidence::SameModels* find_namesake(const Group& group) const {
    for (const evidence::SameModels& same : same_) {
      const bool methods = same.first->role == "unlearned" && same.second->role == "unlearned" &&
                           same.first->method != same.second->method;
      const bool own = same.first->method == group.method || same.second->method == group.method;
      if (methods && own && same.whole) return &same;
    }
    return nullptr;
  }

  /// No verdict, because of what stands in the way of every test.
  Verdict without(Reason obstacle, Verdict verdict) const {
    verdict.obstacle = std::move(obstacle);
    verdict.margin = options_.margin;
    verdict.word = Word::not_tested;
    verdict.under = verdict.over = verdict.equivalent = Outcome::not_tested;
    verdict.limits = limits({.letter = 'A'}, Form::none, {});
    return verdict;
  }

  void against_retrained(const Group& group, Verdict& verdict,
                         std::vector<std::string_view>& failed) {
    std::vector<VerdictTest> unseen, others;
    for (const MetricInfo* metric : speaking_metrics()) {
      const AskedRows asked = ask(rows_, metric->id, group);
      if (asked.method.empty() || asked.retrained.empty() || asked.original.empty()) continue;
      if (AskedRows::contrast(asked.method) != nullptr) {
        by_unseen_rows(*metric, asked, unseen, failed);
      } else {
        by_models(*metric, asked, others, failed);
      }
    }
    verdict.form = !unseen.empty() ? Form::unseen : !others.empty() ? Form::models : Form::none;
    for (VerdictTest& test : others) {
      // Equivalence rests on the gap to unseen examples where there is one.
      test.core = test.core && unseen.empty();
    }
    const auto append = [&verdict](std::vector<VerdictTest> tests) {
      std::move(tests.begin(), tests.end(), std::back_inserter(verdict.tests));
    };
    append(std::move(unseen));
    append(std::move(others));
    std::vector<VerdictTest> utility = utility_tests(group);
    verdict.utility_missing = missing_utility(evidence_, group, utility);
    append(std::move(utility));
    read_tests(verdict, options_);
    verdict.signals_must_agree = levels_differ();
    if (verdict.signals_must_agree) only_where_signals_agree(verdict);
    verdict.uneven = uneven(group);
    decide(verdict);
  }

  /// Models know the persons (or kinds) that they were trained on better than those of the target:
  /// two trainings that differ in how sure they are of everything then differ on the two kinds of
  /// rows unequally. A forgotten class is different: no model that never saw it ever says it.
  bool levels_differ() const {
    const metrics::Forgotten forgotten = metrics::forgotten_as_a_whole(evidence_);
    return forgotten == metrics::Forgotten::subjects || forgotten == metrics::Forgotten::subclasses;
  }

  /// Difference in differences; its label goes to `failed` if the signal cannot tell original from
  /// retrained.
  void by_unseen_rows(const MetricInfo& metric, const AskedRows& asked,
                      std::vector<VerdictTest>& tested,
                      std::vector<std::string_view>& failed) const {
    const metrics::Contrast* method = AskedRows::contrast(asked.method);
    const metrics::Contrast* retrained = AskedRows::contrast(asked.retrained);
    const metrics::Contrast* original = AskedRows::contrast(asked.original);
    if (retrained == nullptr || original == nullptr) return;
    const Difference room = unseen_difference(*original, *retrained);
    if (!(room.p < kSignificance) || !(room.estimate > 0)) {
      failed.push_back(metric.name);
      return;
    }
    VerdictTest made;
    made.difference =
        unseen_difference(*method, *retrained, room.estimate, options_.smallest_effect);
    if (std::isnan(made.difference.p)) return;
    fill(metric, {side_of(asked.method), side_of(asked.retrained), side_of(asked.original)},
         room.estimate, made);
    made.within = no_more_than_margin(made) && no_less_than_margin(made);
    made.quantity = Quantity::gap;
    made.unseen = true;
    made.side = made.difference.estimate > 0 ? Leaning::under : Leaning::over;
    tested.push_back(std::move(made));
  }

  /// Without unseen rows two trainings may differ for no reason but chance: only how much models
  /// vary can say whether a difference is more.
  void by_models(const MetricInfo& metric, const AskedRows& asked, std::vector<VerdictTest>& tested,
                 std::vector<std::string_view>& failed) {
    if (!std::all_of(asked.method.begin(), asked.method.end(),
                     [](const Row* row) { return !std::isnan(row->value); })) {
      return;
    }
    Side method = side_of(asked.method), retrained = side_of(asked.retrained),
         original = side_of(asked.original);
    // Where a class or a person was forgotten, test rows are of them too.
    const bool beyond_unseen =
        metrics::forgotten_as_a_whole(evidence_) == metrics::Forgotten::rows &&
        subtract_unseen(rows_, metric, asked, {&method, &retrained, &original});
    const bool pools = metrics::family_of(metric.id)->unit == metrics::Unit::pool;
    const auto compare = [&](const Side& left) {
      return pools ? difference(left, retrained, options_.seed)
                   : model_difference(left.values, retrained.values);
    };
    const Difference seen = compare(method);
    if (std::isnan(seen.p)) return;
    // Original against retrained by the very rule that methods are tested by.
    const auto [place, is_new] =
        rooms_.try_emplace(std::string(metric.id) + setting(*asked.method.front()));
    if (is_new) place->second = compare(original);
    if (!asked.reliable() || !(place->second.p < kSignificance)) {
      failed.push_back(metric.name);
      return;
    }
    const metrics::Speech& speech = *metric.speech;
    VerdictTest made;
    made.difference = seen;
    const double room = metrics::mean(original.values) - metrics::mean(retrained.values);
    fill(metric, {method, retrained, original}, room, made);
    made.quantity = beyond_unseen ? Quantity::value_beyond : Quantity::value;
    const bool towards_original = seen.estimate * room > 0;
    made.side = towards_original ? Leaning::under : Leaning::over;
    if (speech.distance) {
      // Nearer to retrained than retrained models are to each other is no finding.
      made.side = towards_original
                      ? side_of_distance(*asked.method.front(), *asked.original.front())
                      : Leaning::none;
    }
    made.within = no_more_than_margin(made) && (speech.distance || no_less_than_margin(made));
    tested.push_back(std::move(made));
  }

  /// What was compared, so that the numbers beside a test are those that it compares.
  struct Compared {
    Side method, retrained, original;
  };

  void fill(const MetricInfo& metric, const Compared& compared, double room,
            VerdictTest& test) const {
    test.metric = metric.id;
    test.method = metrics::mean(compared.method.values);
    test.retrained = metrics::mean(compared.retrained.values);
    test.original = metrics::mean(compared.original.values);
    test.reference_difference = std::abs(room);
    test.margin = options_.margin * test.reference_difference;
    test.smallest_effect = options_.smallest_effect * test.reference_difference;
    test.core = metric.speech->core;
  }

  /// Surer than retrained on some forget rows and less sure on others: right on average only.
  bool uneven(const Group& group) const {
    for (const MetricInfo* metric : speaking_metrics()) {
      if (!metric->speech->core || !metric->speech->enough) continue;
      const AskedRows asked = ask(rows_, metric->id, group);
      const metrics::Contrast* method = AskedRows::contrast(asked.method);
      const metrics::Contrast* retrained = AskedRows::contrast(asked.retrained);
      const metrics::Contrast* original = AskedRows::contrast(asked.original);
      if (method == nullptr || retrained == nullptr || original == nullptr) continue;
      const Difference room = distance_difference(*original, *retrained);
      const Difference seen = distance_difference(*method, *retrained);
      if (room.estimate > 0 && seen.lower90 > options_.margin * room.estimate) return true;
    }
    return false;
  }

  /// Forget rows are a random draw: a model that never saw them treats them like test rows.
  void alone(const Group& group, Verdict& verdict) const {
    for (const MetricInfo* metric : speaking_metrics()) {
      const AskedRows asked = ask(rows_, metric->id, group);
      const metrics::Contrast* method = AskedRows::contrast(asked.method);
      if (method == nullptr) continue;
      VerdictTest made;
      made.difference = unseen_gap(*method);
      if (std::isnan(made.difference.p)) continue;
      made.metric = metric->id;
      made.method = made.difference.estimate;
      made.core = metric->speech->core;
      const metrics::Contrast* original = AskedRows::contrast(asked.original);
      if (original != nullptr) made.original = unseen_gap(*original).estimate;
      made.reference_difference = made.original > 0 ? made.original : 0;
      made.quantity = Quantity::own_gap;
      made.unseen = true;
      made.side = made.difference.estimate > 0 ? Leaning::under : Leaning::over;
      verdict.tests.push_back(std::move(made));
    }
    if (verdict.tests.empty()) return;
    verdict.form = Form::alone;
    read_tests(verdict, options_);
    decide(verdict);
  }

  /// By rows and models together where a side has several models: Welch's t over two or three
  /// models would show less than one model does.
  Difference utility_difference(const AskedRows& asked, const Side& ours,
                                const Side& theirs) const {
    const metrics::Contrast* left = AskedRows::contrast(asked.method);
    const metrics::Contrast* right = AskedRows::contrast(asked.retrained);
    if (left != nullptr && right != nullptr && left->target.size() == right->target.size() &&
        left->by_model.size() + right->by_model.size() > 2) {
      const Difference found = mean_difference(*left, *right);
      if (!std::isnan(found.p)) return found;
    }
    return difference(ours, theirs, options_.seed);
  }

  std::vector<VerdictTest> utility_tests(const Group& group) const {
    std::vector<VerdictTest> tests;
    const auto measured = [&](std::string_view id) {
      return !ask(rows_, id, group).method.empty();
    };
    for (const MetricInfo* metric : utility_metrics()) {
      if (metrics::is_replaced(metric->id, measured)) continue;
      const AskedRows asked = ask(rows_, metric->id, group);
      const Side ours = side_of(asked.method), theirs = side_of(asked.retrained);
      if (ours.values.empty() || theirs.values.empty()) continue;
      VerdictTest test;
      test.metric = metric->id;
      test.difference = utility_difference(asked, ours, theirs);
      if (std::isnan(test.difference.p)) continue;
      test.method = metrics::mean(ours.values);
      test.retrained = metrics::mean(theirs.values);
      test.margin = metric->likelihood ? options_.likelihood_margin : options_.utility_margin;
      test.within = test.difference.lower90 > -test.margin;
      test.quantity = Quantity::utility;
      const Row& row = *asked.method.front();
      test.examples = row.contrast != nullptr ? row.contrast->target.size() : row.terms.size();
      tests.push_back(std::move(test));
    }
    return tests;
  }

  /// What a ruined model answers on forget examples says nothing about forgetting.
  static void apply_ruin(const RuinFound& found, Verdict& verdict) {
    if (found.ruin == Ruin::none) return;
    verdict.under = verdict.over = Outcome::not_tested;
    // Right by chance may be rows in another order: then nothing is known about the model.
    const bool collapsed = found.ruin == Ruin::collapsed;
    verdict.equivalent = collapsed ? Outcome::excluded : Outcome::not_tested;
    verdict.utility_loss = collapsed ? Outcome::shown : Outcome::not_tested;
  }

  /// How far the method and retrained models moved from the original; sets hardly_changed.
  void moved(const Group& group, Verdict& verdict) const {
    for (const metrics::Family& family : metrics::families()) {
      for (const MetricInfo& metric : family.metrics) {
        if (!metric.moved) continue;
        const AskedRows asked = ask(rows_, metric.id, group);
        if (asked.method.empty() || asked.retrained.empty()) continue;
        verdict.moved = {metrics::mean(side_of(asked.method).values),
                         metrics::mean(side_of(asked.retrained).values)};
        verdict.hardly_changed = hardly_changed(verdict.moved);
        return;
      }
    }
  }

  const Evidence& evidence_;
  const std::vector<Row>& rows_;
  VerdictOptions options_;
  std::vector<evidence::SameModels> same_;
  RowOrders orders_;
  std::map<std::string, Difference> rooms_;  ///< original - retrained by metric and setting
};

}  // namespace

std::vector<Verdict> verdicts(const Evidence& evidence, const std::vector<Row>& rows,
                              const VerdictOptions& options) {
  std::vector<Verdict> result;
  Judge judge(evidence, rows, options);
  for (const Group* group : evidence.unlearned()) result.push_back(judge.judge(*group));
  return result;
}

}  // namespace vestige::audit
