// All statistics of an experiment.
#include "vestige/study/summary.h"

#include <algorithm>
#include <map>
#include <set>

#include "vestige/base/nesting.h"
#include "vestige/study/inherit_controls.h"
#include "vestige/study/measure.h"

namespace vestige::study {
namespace {

/// Says of every result whether its metric failed its controls, and how many runs failed.
void mark_results(Study& study) {
  const std::map<Measure, FailedVariants> failed = failed_measures(study.controls);
  for (MethodResult& result : study.results) {
    const auto own = failed.find(result.measure);
    result.failed = !result.control && own != failed.end() && own->second.contains(result.variant);
    for (const FailedRuns& runs : study.failed_runs) {
      if (runs.variant != result.variant || runs.method != result.method) continue;
      result.runs = runs.runs;
      result.failed_runs = runs.failed;
    }
  }
}

/// Whether a selection names models whose answer is known.
bool is_control(const std::string& method) {
  return method == "retrained" || method == "original" || method == "constant_predictor" ||
         method == "retrain" || is_control_method(method) || method.starts_with("partial/") ||
         method.starts_with("checkpoint");
}

/// Whether a measure's setting ("alpha=0.05;recovery_test=\"int8\";") has the values that a query
/// names; params that are no settings are facts, which say nothing here.
bool has_params(const std::string& setting, const Json& params) {
  const std::string all = ";" + setting;
  for (const auto& [key, value] : params.items()) {
    const std::size_t place = all.find(";" + key + "=");
    if (place == std::string::npos) continue;
    const std::size_t start = place + key.size() + 2;
    const Json own = parse_json(all.substr(start, all.find(';', start) - start));
    if (own != value) return false;
  }
  return true;
}

/// What a finding rests on belongs to it: metrics that failed in every variant it names.
void caution(const Check& check, const std::vector<ControlRow>& controls, CheckResult& finding) {
  if (check.kind == CheckKind::unreliable) return;
  std::set<std::string> said;
  for (const CheckSide& side : check.sides) {
    if (side.number || is_control(side.query.method)) continue;
    const auto names = [&](const ControlRow& row) {
      return row.measure.metric == side.query.metric &&
             has_params(row.measure.setting, side.query.params) &&
             (side.query.variant.empty() || row.variant == side.query.variant) &&
             (side.query.audit.empty() || row.measure.audit == side.query.audit);
    };
    std::size_t failed = 0, passed = 0;
    for (const ControlRow& row : controls) {
      if (!names(row)) continue;
      if (row.verdict == ControlVerdict::failed) ++failed;
      if (row.verdict == ControlVerdict::passed) ++passed;
    }
    if (failed > 0 && passed == 0 && said.insert(side.query.metric).second) {
      finding.reasons.push_back(
          result::reason(result::Code::metric_failed_its_controls, side.query.metric));
    }
  }
}

/// A finding of a paper about a method that did nothing repeats what holds of the original.
void require_movement(const Check& check, const std::map<std::string, double>& moved,
                      CheckResult& finding) {
  if (check.control) return;
  std::set<std::string> said;
  for (const CheckSide& side : check.sides) {
    const auto found = moved.find(side.query.method);
    if (side.number || found == moved.end() || found->second >= kLeastMove) continue;
    if (!said.insert(side.query.method).second) continue;
    finding.outcome = CheckOutcome::inconclusive;
    finding.reasons.push_back(
        result::reason(result::Code::method_did_not_move, found->first, found->second, kLeastMove));
  }
}

}  // namespace

Study study(const std::vector<StudyRow>& rows, const std::vector<Check>& checks,
            const StudyOptions& options, const std::vector<FailedRuns>& failed_runs) {
  Study result;
  result.results = results_table(rows);
  result.controls = controls_table(rows, options.seed);
  result.failed = failed_controls(result.controls);
  result.failed_runs = failed_runs;
  mark_results(result);
  result.comparison = compare_methods(rows, options.comparison, result.controls);
  result.variance = variance_breakdown(rows, options.variance);
  result.findings = evaluate_checks(checks, rows, options.seed);
  for (std::size_t place = 0; place < checks.size(); ++place) {
    caution(checks[place], result.controls, result.findings[place]);
    require_movement(checks[place], options.moved, result.findings[place]);
  }
  return result;
}

}  // namespace vestige::study
