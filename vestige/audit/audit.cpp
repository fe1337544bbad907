// Runs families over comparisons, then lets the controls judge.
#include "vestige/audit/audit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <mutex>
#include <optional>
#include <utility>

#include "vestige/audit/controls.h"
#include "vestige/audit/costs.h"
#include "vestige/audit/metric_options.h"
#include "vestige/audit/selection.h"
#include "vestige/audit/verdicts/differences.h"
#include "vestige/audit/verdicts/kept_terms.h"
#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/memory.h"
#include "vestige/base/parallel.h"
#include "vestige/metrics/addition.h"
#include "vestige/metrics/series.h"
#include "vestige/metrics/stats/rank_tests.h"
#include "vestige/words/words.h"

namespace vestige::audit {
namespace {

using evidence::Evidence;
using metrics::Comparison;
using metrics::Control;
using metrics::Family;
using metrics::SampleColumn;
using result::Cause;
using result::Code;
using result::Reason;
using result::reason;
using result::Reasons;

/// A row holds finite numbers or nothing, so that a column of results.json is a column of numbers.
/// Some definitions are infinite (a conformal threshold from too few rows): the note says so.
void make_finite(metrics::Row& row) {
  if (std::isinf(row.lower)) row.lower = metrics::kUndefined;
  if (std::isinf(row.upper)) row.upper = metrics::kUndefined;
  if (!std::isinf(row.value)) return;
  row.notes.insert(row.notes.begin(),
                   Reason(row.value > 0 ? Code::infinite_value : Code::negative_infinite_value));
  row.value = metrics::kUndefined;
  if (row.status == metrics::Status::ok) row.status = metrics::Status::undefined;
}

/// Points belong to the metrics that were asked for if some id that begins like them was.
bool asked_for(const Selection& selection, const Family& family, const metrics::Series& series) {
  if (selection.has(family, series.metric)) return true;
  return std::any_of(
      family.metrics.begin(), family.metrics.end(), [&](const metrics::MetricInfo& info) {
        return info.id.starts_with(series.metric + ".") && selection.has(family, info.id);
      });
}

/// Rows that were not asked for go to `guards`.
void measure_family(const Evidence& evidence, const evidence::Group& constant, const Family& family,
                    const Selection& selection, const metrics::Request& request,
                    AuditResult& result, std::vector<metrics::Row>& guards) {
  const std::vector<Comparison> list =
      comparisons(evidence, constant, family.unit, family.checkpoints);
  Progress progress(request.context.progress(), std::string(family.name), list.size());
  const metrics::Measure one = family.prepare({evidence, request, list, &progress});
  KeptTerms terms;
  const auto take = [&](const Comparison& comparison, metrics::Measurements measured) {
    for (metrics::Row& row : measured.rows) {
      make_finite(row);
      terms.trim(row);
      (selection.has(family, row.metric) ? result.rows : guards).push_back(std::move(row));
    }
    if (!selection.has(family)) return;
    for (SampleColumn& column : measured.columns) {
      column.control = comparison.control;
      column.first = metrics::gives_series(comparison);
      result.columns.push_back(std::move(column));
    }
    for (metrics::Series& series : measured.series) {
      if (!asked_for(selection, family, series)) continue;
      series.control = comparison.control;
      result.series.push_back(std::move(series));
    }
  };
  // Taken in the order of the list, as soon as all before are there: what is trimmed need not wait
  // for the last model.
  std::vector<std::optional<metrics::Measurements>> all(list.size());
  std::size_t taken = 0;
  std::mutex mutex;
  const auto measure = [&](std::size_t index) {
    check_interrupt();
    metrics::Measurements measured = one(list[index], progress);
    return_free_memory();
    const std::lock_guard lock(mutex);
    all[index] = std::move(measured);
    for (; taken < list.size() && all[taken]; ++taken) {
      take(list[taken], *std::exchange(all[taken], std::nullopt));
    }
    progress.add();
  };
  // Models are measured side by side; whole groups one by one, for the sake of memory.
  if (family.unit == metrics::Unit::model) {
    parallel_tasks(list.size(), measure);
  } else {
    for (std::size_t index = 0; index < list.size(); ++index) measure(index);
  }
}

/// The selected families that the evidence supports; throws for one that was named and is not
/// supported, before any work is done.
std::vector<const Family*> supported_families(const Evidence& evidence, const Selection& selection,
                                              const metrics::Request& request,
                                              AuditResult& result) {
  const Json& options = request.options;
  std::vector<const Family*> supported;
  for (const Family& family : metrics::families()) {
    const metrics::Support support =
        metrics::support_of(family, evidence, options, request.context);
    if (!selection.has(family)) {
      if (selection.everything() && support.supported) {
        result.skipped.push_back(
            {std::string(family.name), reason(Code::only_on_request, family.name)});
      }
      continue;
    }
    if (!support.supported) {
      require(!selection.named(family), "{} cannot be measured on this evidence: {}", family.name,
              words::text(support.reason));
      result.skipped.push_back({std::string(family.name), support.reason});
      continue;
    }
    if (!selection.named(family) && !family.guards) {
      if (Reason why = beyond_hours(evidence, family, options); !why.empty()) {
        result.skipped.push_back({std::string(family.name), std::move(why), true});
        continue;
      }
    }
    if (!support.reason.empty()) {
      const std::vector<std::string> group = {std::string(family.name)};
      result.remarks.push_back(
          {Cause::evidence, group, reason(Code::about_metrics, group, support.reason)});
    }
    supported.push_back(&family);
  }
  return supported;
}

/// What will take long, before it begins.
void announce(const Evidence& evidence, const std::vector<const Family*>& families,
              const metrics::Request& request, const std::vector<Skipped>& skipped) {
  const ProgressStyle style = request.context.progress();
  for (const Family* family : families) {
    if (const auto cost = worth_saying(evidence, *family, request.options)) {
      say_before(style,
                 fmt::format("{} {}", family->name,
                             words::text(reason(Code::takes_long, cost->seconds, cost->work))));
    }
  }
  for (const Skipped& left_out : skipped) {
    if (left_out.cost) {
      say_before(style, fmt::format("{} {}", left_out.group, words::text(left_out.reason)));
    }
  }
}

/// What verdicts would say more, had it been asked for: its absence is no praise.
void note_missing_additions(const Evidence& evidence, const Selection& selection,
                            AuditResult& result) {
  for (const metrics::Addition& addition : metrics::additions()) {
    for (const Family& family : metrics::families()) {
      const bool own = std::any_of(family.metrics.begin(), family.metrics.end(),
                                   [&](const auto& info) { return info.id == addition.metric; });
      if (!own || selection.has(family, addition.metric)) continue;
      if (!family.support(evidence).supported) continue;
      result.skipped.push_back(
          {std::string(family.name), reason(Code::addition_not_asked, family.name)});
    }
  }
}

/// Families that verdicts rest on, whatever was asked for: rows of `guards` only.
void measure_guards(const Evidence& evidence, const evidence::Group& constant,
                    const Selection& selection, const metrics::Request& request,
                    AuditResult& result, std::vector<metrics::Row>& guards) {
  for (const Family& family : metrics::families()) {
    if (!family.guards || selection.has(family) || !family.support(evidence).supported) continue;
    measure_family(evidence, constant, family, selection, request, result, guards);
  }
}

/// Forget rows that are declared to be a random draw: retrained models, which never saw them,
/// should then treat them like test rows.
void check_exchangeable(const Evidence& evidence, const std::vector<metrics::Row>& rows,
                        std::vector<Remark>& remarks) {
  if (!evidence.exchangeable) return;
  for (const metrics::Row& row : rows) {
    const metrics::MetricInfo* info = metrics::find_metric(row.metric);
    if (row.control != Control::retrained || row.contrast == nullptr || !info->speech ||
        !info->speech->core)
      continue;
    const Difference gap = unseen_gap(*row.contrast);
    if (std::isnan(gap.p)) continue;
    const Code code = gap.p < 0.01 ? Code::random_draw_doubtful : Code::random_draw_supported;
    remarks.push_back({Cause::evidence, {}, reason(code, info->id, gap.estimate, gap.p)});
    return;
  }
}

/// Judges rows that were asked for and guards alike; remarks are about the former only.
std::vector<Verdict> judge(const Evidence& evidence, AuditResult& result,
                           std::vector<metrics::Row> guards, const VerdictOptions& options) {
  fill_references(result.rows);
  for (Remark& remark : judge_controls(result.rows, options.seed)) {
    result.remarks.push_back(std::move(remark));
  }
  fill_references(guards);
  judge_controls(guards, options.seed);
  // In one list while they are judged, without a second copy of their terms.
  const auto asked = std::ssize(result.rows);
  std::move(guards.begin(), guards.end(), std::back_inserter(result.rows));
  check_exchangeable(evidence, result.rows, result.remarks);
  std::vector<Verdict> found = verdicts(evidence, result.rows, options);
  result.rows.erase(result.rows.begin() + asked, result.rows.end());
  return found;
}

/// Families that judge themselves say in a row's note why it is unreliable: one remark per reason.
void add_own_verdicts(AuditResult& result) {
  std::vector<std::pair<Reasons, std::vector<std::string>>> reasons;  // notes, metrics
  for (const metrics::Row& row : result.rows) {
    if (row.status != metrics::Status::unreliable || row.control != Control::none) continue;
    auto place = std::find_if(reasons.begin(), reasons.end(),
                              [&row](const auto& known) { return known.first == row.notes; });
    if (place == reasons.end()) place = reasons.insert(place, {row.notes, {}});
    auto& ids = place->second;
    if (std::find(ids.begin(), ids.end(), row.metric) == ids.end()) ids.push_back(row.metric);
  }
  for (const auto& [notes, ids] : reasons) {
    result.remarks.push_back({Cause::unreliable, ids, reason(Code::about_metrics, ids, notes)});
  }
}

/// Which examples are hard for every method: the sum over methods (competition paper, A.9).
void add_sum(const Family& family, AuditResult& result) {
  const std::string prefix = std::string(family.name) + ".";
  std::vector<const SampleColumn*> methods;
  for (const SampleColumn& column : result.columns) {
    if (column.control == Control::none && column.name.starts_with(prefix)) {
      methods.push_back(&column);
    }
  }
  if (methods.size() < 2) return;
  SampleColumn sum{prefix + "sum", "forget", std::vector<double>(methods[0]->values.size()), {}, 1,
                   Control::none,  true};
  for (const SampleColumn* column : methods) {
    for (std::size_t row = 0; row < sum.values.size(); ++row)
      sum.values[row] += column->values[row];
  }
  Json names = Json::array();
  Json table = Json::array();
  for (const SampleColumn* left : methods) {
    names.push_back(left->name.substr(prefix.size()));
    Json line = Json::array();
    for (const SampleColumn* right : methods) {
      line.push_back(json_number(metrics::spearman(left->values, right->values).rho));
    }
    table.push_back(line);
  }
  result.correlations[std::string(family.name)] = {{"methods", names}, {"spearman", table}};
  result.columns.push_back(std::move(sum));
}

}  // namespace

namespace {

AuditResult run_audit(const Evidence& evidence, const AuditOptions& options) {
  const Selection selection(options.metrics);
  // Refuses before the work, not after it, whoever calls.
  const metrics::Request request{options.seed, checked_options(options.options, "audit"),
                                 options.context.with_cache()};
  const evidence::Group constant = constant_group(evidence);
  AuditResult result;
  result.options = request.options;
  result.grade = evidence_quality(evidence);
  if (evidence.unlearned().empty()) {
    result.remarks.push_back({Cause::evidence, {}, Code::no_unlearned_model});
  }
  std::vector<metrics::Row> guards;  // what verdicts need and nobody asked for
  const std::vector<const Family*> supported =
      supported_families(evidence, selection, request, result);
  announce(evidence, supported, request, result.skipped);
  for (const Family* family : supported) {
    measure_family(evidence, constant, *family, selection, request, result, guards);
  }
  note_missing_additions(evidence, selection, result);
  measure_guards(evidence, constant, selection, request, result, guards);
  add_own_verdicts(result);
  VerdictOptions judging = verdict_options(request.options, options.seed);
  judging.context = request.context;
  result.verdicts = judge(evidence, result, std::move(guards), judging);
  for (const metrics::Row& row : result.rows) {
    if (row.control != Control::retrained || row.status != metrics::Status::ok) continue;
    const std::vector<std::string> ids = {row.metric};
    Remark remark{Cause::care, ids, reason(Code::about_metrics, ids, Reasons(row.notes))};
    const bool known =
        std::find(result.remarks.begin(), result.remarks.end(), remark) != result.remarks.end();
    if (!row.notes.empty() && !known) result.remarks.push_back(std::move(remark));
  }
  for (const Family& family : metrics::families()) {
    if (family.sums_columns) add_sum(family, result);
  }
  result.remembered = remembered_rows(evidence, result.columns);
  return result;
}

}  // namespace

AuditResult audit(const Evidence& evidence, const AuditOptions& options) {
  return options.context.run([&] { return run_audit(evidence, options); });
}

std::vector<FamilySupport> support(const Evidence& evidence, const Context& context) {
  const Json options = checked_options(Json::object(), "inspect");
  std::vector<FamilySupport> lines;
  for (const Family& family : metrics::families()) {
    FamilySupport line{std::string(family.name), std::string(family.summary),
                       metrics::support_of(family, evidence, options, context)};
    const auto cost = line.support.supported ? worth_saying(evidence, family, options)
                                             : std::optional<metrics::Cost>();
    if (cost) {
      line.seconds = cost->seconds;
      const Reason beyond = family.guards ? Reason() : beyond_hours(evidence, family, options);
      line.cost = beyond.empty() ? reason(Code::takes_long, cost->seconds, cost->work) : beyond;
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace vestige::audit
