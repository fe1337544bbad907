// Deciding on the checks of a recipe.
#include "vestige/study/paper_checks.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "vestige/base/matrix.h"
#include "vestige/metrics/stats/ranking.h"
#include "vestige/metrics/stats/statistics.h"
#include "vestige/study/measure.h"
#include "vestige/study/ranks_agree.h"
#include "vestige/study/reliability.h"
#include "vestige/study/row_query.h"

namespace vestige::study {
namespace {

using result::Code;

/// Is the interval of left - right on the right side? An interval that ends at the limit lies on
/// the wrong side of "above".
CheckOutcome decide(const CheckDifference& seen, const std::string& is, double by, double margin,
                    bool exact) {
  double lower = seen.estimate.lower;
  double upper = seen.estimate.upper;
  if (std::isnan(lower) || std::isnan(upper)) {
    if (!exact) return CheckOutcome::inconclusive;
    lower = upper = seen.estimate.value;
  }
  if (is == "near") {
    if (lower > -margin && upper < margin) return CheckOutcome::held;
    if (lower >= margin || upper <= -margin) return CheckOutcome::did_not_hold;
    return CheckOutcome::inconclusive;
  }
  if (is == "below") {
    const double turned = lower;
    lower = -upper;
    upper = -turned;
  }
  if (lower > by) return CheckOutcome::held;
  return upper <= by ? CheckOutcome::did_not_hold : CheckOutcome::inconclusive;
}

CheckResult compare(const std::vector<Selected>& left, const CheckSide& left_side,
                    const std::vector<Selected>& right, const CheckSide& right_side,
                    const Check& check, const std::string& is, std::uint64_t seed) {
  if (left.empty()) return nothing_measured(left_side.query);
  if (!right_side.number && right.empty()) return nothing_measured(right_side.query);
  const CheckDifference seen = difference(left, left_side, right, right_side, seed);
  CheckResult finding;
  finding.outcome = decide(seen, is, check.by, check.margin, check.exact);
  finding.estimate = seen.estimate;
  finding.n = seen.n;
  finding.how = seen.how.empty() && check.exact ? Code::values_without_interval : seen.how;
  finding.reasons = {
      result::reason(Code::difference_of, describe(left_side.query, left), seen.left,
                     right_side.number ? result::Reason() : describe(right_side.query, right),
                     right_side.number.value_or(seen.right), seen.estimate.value,
                     seen.estimate.lower, seen.estimate.upper, finding.how)};
  return finding;
}

std::vector<RowQuery> queries_of(const Check& check) {
  std::vector<RowQuery> queries;
  for (const CheckSide& side : check.sides) {
    if (!side.number) queries.push_back(side.query);
  }
  return queries;
}

CheckResult evaluate_compare(const Check& check, const std::vector<StudyRow>& rows,
                             std::uint64_t seed) {
  std::vector<std::vector<Selected>> selected = select(rows, queries_of(check));
  selected.resize(2);
  return compare(selected[0], check.sides[0], selected[1], check.sides[1], check, check.is, seed);
}

/// All steps must hold; one that does not is enough against. Shown is the least favourable step.
CheckResult evaluate_ordered(const Check& check, const std::vector<StudyRow>& rows,
                             std::uint64_t seed) {
  const std::vector<std::vector<Selected>> selected = select(rows, queries_of(check));
  const std::string is = check.is == "rising" ? "above" : "below";
  CheckResult result{.outcome = CheckOutcome::held};
  double least = HUGE_VAL;
  for (std::size_t place = 1; place < selected.size(); ++place) {
    const CheckResult step = compare(selected[place], check.sides[place], selected[place - 1],
                                     check.sides[place - 1], check, is, seed);
    result.reasons.push_back(
        result::reason(Code::step_of_order, place, result::name(step.outcome), step.reasons));
    const double gain = is == "above" ? step.estimate.value : -step.estimate.value;
    if (gain < least || place == 1) {
      least = std::isnan(gain) ? least : gain;
      result.estimate = step.estimate;
      result.n = step.n;
      result.how = step.how;
    }
    if (step.outcome == CheckOutcome::did_not_hold) result.outcome = CheckOutcome::did_not_hold;
    if (step.outcome == CheckOutcome::inconclusive && result.outcome == CheckOutcome::held) {
      result.outcome = CheckOutcome::inconclusive;
    }
  }
  return result;
}

/// One row per replicate that has all points.
Matrix complete_rows(const std::vector<Replicates>& points) {
  std::vector<std::vector<double>> kept;
  for (std::size_t i = 0; i < points.front().keys.size(); ++i) {
    std::vector<double> row;
    for (const Replicates& point : points) {
      const auto found = std::find(point.keys.begin(), point.keys.end(), points.front().keys[i]);
      if (found == point.keys.end()) break;
      row.push_back(point.values[static_cast<std::size_t>(found - point.keys.begin())]);
    }
    if (row.size() == points.size()) kept.push_back(row);
  }
  Matrix matrix(kept.size(), points.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::copy(kept[i].begin(), kept[i].end(), matrix.row(i).begin());
  }
  return matrix;
}

/// Replicates over models, else over splits, else the mean of each point as the only one.
Matrix trend_table(const std::vector<std::vector<Selected>>& selected, bool with_variant) {
  for (const Replicate kind : {Replicate::model, Replicate::split}) {
    std::vector<Replicates> points;
    for (const auto& own : selected) points.push_back(replicates(own, kind, with_variant));
    Matrix table = complete_rows(points);
    if (table.rows() > 0) return table;
  }
  Matrix table(1, selected.size());
  for (std::size_t place = 0; place < selected.size(); ++place) {
    double sum = 0;
    for (const Selected& own : selected[place]) sum += own.value;
    table(0, place) = sum / static_cast<double>(selected[place].size());
  }
  return table;
}

CheckResult evaluate_trend(const Check& check, const std::vector<StudyRow>& rows) {
  std::vector<RowQuery> queries;
  for (const Json& point : check.at) {
    queries.push_back(at_point(check.sides[0].query, check.over, point));
  }
  const std::vector<std::vector<Selected>> selected = select(rows, queries);
  for (std::size_t place = 0; place < selected.size(); ++place) {
    if (selected[place].empty()) return nothing_measured(queries[place]);
  }
  const bool with_variant = check.over != "variant" && queries.front().variant.empty();
  const Matrix table = trend_table(selected, with_variant);
  const metrics::Trend trend = metrics::page_trend(table);
  const bool rising = check.is == "rising";
  const double wanted = rising ? trend.rising : trend.falling;
  const double opposite = rising ? trend.falling : trend.rising;
  CheckResult finding{
      .estimate = {.value = trend.mean_rho}, .n = trend.blocks, .how = Code::page_test};
  if (wanted < kSignificant) finding.outcome = CheckOutcome::held;
  if (opposite < kSignificant) finding.outcome = CheckOutcome::did_not_hold;
  std::vector<Selected> all;
  for (const std::vector<Selected>& own : selected) all.insert(all.end(), own.begin(), own.end());
  result::Reasons means;
  for (std::size_t place = 0; place < check.at.size(); ++place) {
    double sum = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) sum += table(row, place);
    means.push_back(result::reason(Code::mean_at, point_text(check.at[place]),
                                   sum / static_cast<double>(table.rows())));
  }
  finding.reasons = {result::reason(Code::trend_over, describe(check.sides[0].query, all),
                                    check.over, std::move(means), trend.mean_rho, trend.blocks,
                                    wanted, check.is)};
  return finding;
}

CheckResult evaluate_unreliable(const Check& check, const std::vector<StudyRow>& rows,
                                std::uint64_t seed) {
  RowQuery query = check.sides[0].query;
  std::vector<Selected> selected = select(rows, {query})[0];
  for (const char* role : {"original", "retrained"}) {
    if (!selected.empty()) break;
    query.method = role;
    selected = select(rows, {query})[0];
  }
  if (selected.empty()) return nothing_measured(check.sides[0].query);
  const Reliability seen =
      unreliable_share(rows, measure_of(*selected.front().row), query.variant, seed);
  if (seen.audits == 0) {
    return {.reasons = {result::reason(Code::no_audit_could_judge, query.metric)}};
  }
  CheckResult finding{.n = seen.audits, .how = Code::marks_of_audits};
  finding.estimate = metrics::clopper_pearson(seen.unreliable, seen.audits);
  if (seen.unreliable == seen.audits) finding.outcome = CheckOutcome::held;
  if (seen.unreliable == 0) finding.outcome = CheckOutcome::did_not_hold;
  finding.reasons = {result::reason(Code::unreliable_in_audits,
                                    label(measure_of(*selected.front().row)), seen.unreliable,
                                    seen.audits, query.variant)};
  return finding;
}

CheckResult evaluate(const Check& check, const std::vector<StudyRow>& rows, std::uint64_t seed) {
  switch (check.kind) {
    case CheckKind::compare:
      return evaluate_compare(check, rows, seed);
    case CheckKind::ordered:
      return evaluate_ordered(check, rows, seed);
    case CheckKind::trend:
      return evaluate_trend(check, rows);
    case CheckKind::ranks_agree:
      return evaluate_agreement(check, rows, seed);
    case CheckKind::unreliable:
      return evaluate_unreliable(check, rows, seed);
  }
  return {};
}

}  // namespace

std::vector<CheckResult> evaluate_checks(const std::vector<Check>& checks,
                                         const std::vector<StudyRow>& rows, std::uint64_t seed) {
  std::vector<CheckResult> findings;
  for (const Check& check : checks) {
    CheckResult finding = evaluate(check, rows, seed);
    for (const Check& condition : check.given) {
      const CheckResult given = evaluate(condition, rows, seed);
      if (given.outcome == CheckOutcome::held) {
        finding.reasons.push_back(result::reason(Code::condition_holds, given.reasons));
      } else {
        finding.outcome = CheckOutcome::inconclusive;
        finding.reasons.push_back(result::reason(given.outcome == CheckOutcome::did_not_hold
                                                     ? Code::condition_does_not_hold
                                                     : Code::condition_not_shown,
                                                 given.reasons));
      }
    }
    finding.finding = check.finding;
    finding.source = check.source;
    finding.control = check.control;
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace vestige::study
