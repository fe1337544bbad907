// All statistics of an experiment, and their JSON.
#include "vestige/study/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "vestige/study/inherit_controls.h"

namespace vestige::study {
namespace {

Json measure_json(const Measure& measure) {
  Json json;
  json["metric"] = measure.metric;
  json["setting"] = measure.setting;
  json["audit"] = measure.audit;
  return json;
}

Json estimate_json(const metrics::Estimate& estimate) {
  Json json;
  json["value"] = json_number(estimate.value);
  json["lower"] = json_number(estimate.lower);
  json["upper"] = json_number(estimate.upper);
  return json;
}

Json result_json(const MethodResult& result) {
  Json json = measure_json(result.measure);
  json["arm"] = result.arm;
  json["method"] = result.method;
  json["control"] = result.control;
  json["role"] = metrics::name(result.role);
  json["n"] = result.n;
  json.update(estimate_json(result.value));
  json["interval"] = result.interval;
  json["reference"] = json_number(result.reference);
  json["direction"] = metrics::name(result.direction);
  json["unreliable"] = json_number(result.unreliable);
  json["controls_failed"] = result.failed;
  json["runs"] = result.runs;
  json["failed_runs"] = result.failed_runs;
  return json;
}

Json steps_json(const std::vector<GradeStep>& steps) {
  Json list = Json::array();
  for (const GradeStep& step : steps) {
    Json own;
    own["from"] = step.from;
    own["to"] = step.to;
    own["n"] = step.n;
    own["gain"] = json_number(step.gain);
    own["p_better"] = json_number(step.p_better);
    own["p_worse"] = json_number(step.p_worse);
    list.push_back(std::move(own));
  }
  return list;
}

Json graded_json(const ControlRow& row) {
  Json json;
  json["values"] = Json::array();
  for (const Grade& grade : row.graded) {
    Json own;
    own["name"] = grade.name;
    own["removed"] = json_number(grade.removed);
    own["n"] = grade.n;
    own.update(estimate_json(grade.value));
    json["values"].push_back(std::move(own));
  }
  json["steps"] = steps_json(row.steps);
  json["between"] = steps_json(row.between);
  json["in_order"] = row.steps.empty() ? Json() : Json(row.graded_in_order);
  json["ordered_replicates"] = row.ordered;
  json["replicates"] = row.graded_replicates;
  return json;
}

Json control_json(const ControlRow& row) {
  Json json = measure_json(row.measure);
  json["arm"] = row.arm;
  json["direction"] = metrics::name(row.direction);
  json["replicates"] = row.replicates;
  json["floor"] = estimate_json(row.floor);
  json["ceiling"] = estimate_json(row.ceiling);
  json["collapsed"] = estimate_json(row.collapsed);
  json["graded"] = graded_json(row);
  json["power"] = json_number(row.power);
  json["pairs"] = row.pairs;
  json["d_prime"] = json_number(row.d_prime);
  json["unreliable"] = json_number(row.unreliable);
  json["fooled_by_constant"] = row.fooled;
  json["verdict"] = name(row.verdict);
  json["reason"] = row.reason;
  return json;
}

Json rank_json(const MethodRank& method) {
  Json json;
  json["method"] = method.method;
  json["control"] = method.control;
  json["n"] = method.n;
  json["value"] = estimate_json(method.value);
  json["badness"] = estimate_json(method.badness);
  json["rank"] = estimate_json(method.rank);
  json["best"] = json_number(method.best);
  return json;
}

Json pair_json(const MethodPair& pair) {
  Json json;
  json["left"] = pair.left;
  json["right"] = pair.right;
  json["n"] = pair.t.n;
  json["difference"] = json_number(pair.t.mean_difference);
  json["lower"] = json_number(pair.t.lower);
  json["upper"] = json_number(pair.t.upper);
  json["t"] = json_number(pair.t.t);
  json["p"] = json_number(pair.t.p);
  json["adjusted_p"] = json_number(pair.adjusted_p);
  json["wilcoxon_p"] = json_number(pair.wilcoxon_p);
  json["cohen_d"] = json_number(pair.t.cohen_d);
  json["better"] = pair.better;
  return json;
}

Json metric_json(const MetricComparison& metric) {
  Json json = measure_json(metric.measure);
  json["direction"] = metrics::name(metric.direction);
  json["arms"] = metric.arms;
  json["failed_arms"] = metric.failed_arms;
  json["controls_failed"] = metric.failed;
  json["blocks"] = metric.blocks;
  json["left_out"] = metric.left_out;
  json["critical_difference"] = json_number(metric.critical_difference);
  json["methods"] = Json::array();
  for (const MethodRank& method : metric.methods) json["methods"].push_back(rank_json(method));
  json["pairs"] = Json::array();
  for (const MethodPair& pair : metric.pairs) json["pairs"].push_back(pair_json(pair));
  json["stable"] = metric.stable;
  json["sentence"] = metric.sentence;
  return json;
}

Json comparison_json(const MethodComparison& comparison) {
  Json json;
  json["tests"] = comparison.tests;
  json["metrics"] = Json::array();
  for (const MetricComparison& metric : comparison.metrics) {
    json["metrics"].push_back(metric_json(metric));
  }
  json["agreement"] = Json::array();
  for (const Agreement& agreement : comparison.agreement) {
    Json own;
    own["left"] = measure_json(agreement.left);
    own["right"] = measure_json(agreement.right);
    own["methods"] = agreement.methods;
    own["tau"] = json_number(agreement.tau);
    own["p"] = json_number(agreement.p);
    json["agreement"].push_back(std::move(own));
  }
  return json;
}

Json variance_json(const VarianceRow& row) {
  Json json = measure_json(row.measure);
  json["arm"] = row.arm;
  json["method"] = row.method;
  json["n"] = row.n;
  json["mean"] = json_number(row.mean);
  json["total"] = json_number(row.total);
  json["levels"] = Json::array();
  for (const LevelShare& level : row.levels) {
    Json own;
    own["level"] = level.level;
    own["groups"] = level.groups;
    own["estimable"] = level.estimable;
    own["component"] = json_number(level.component);
    own["share"] = json_number(level.share);
    own["negative"] = level.negative;
    own["includes"] = level.includes;
    json["levels"].push_back(std::move(own));
  }
  json["noisiest"] = row.noisiest;
  json["sentence"] = row.sentence;
  return json;
}

Json failed_runs_json(const FailedRuns& runs) {
  Json json;
  json["arm"] = runs.arm;
  json["method"] = runs.method;
  json["runs"] = runs.runs;
  json["failed"] = runs.failed;
  json["why"] = runs.why;
  return json;
}

/// Says of every result whether its metric failed its controls, and how many runs failed.
void mark_results(Study& study) {
  const std::map<Measure, FailedArms> failed = failed_measures(study.controls);
  for (MethodResult& result : study.results) {
    const auto own = failed.find(result.measure);
    result.failed = !result.control && own != failed.end() && own->second.contains(result.arm);
    for (const FailedRuns& runs : study.failed_runs) {
      if (runs.arm != result.arm || runs.method != result.method) continue;
      result.runs = runs.runs;
      result.failed_runs = runs.failed;
    }
  }
}

/// Whether a selection names models whose answer is known.
bool is_control(const std::string& method) {
  return method == "retrained" || method == "original" || method == "collapsed" ||
         method == "identity" || method == "collapse" || method == "retrain" ||
         method.starts_with("partial/") || method.starts_with("checkpoint");
}

/// Whether a measure's setting ("alpha=0.05;probe=\"int8\";") has the values that a query names;
/// params that are no settings are facts, which say nothing here.
bool has_params(const std::string& setting, const Json& params) {
  const std::string all = ";" + setting;
  for (const auto& [key, value] : params.items()) {
    const std::size_t place = all.find(";" + key + "=");
    if (place == std::string::npos) continue;
    const std::size_t start = place + key.size() + 2;
    const Json own = Json::parse(all.substr(start, all.find(';', start) - start), nullptr, false);
    if (own != value) return false;
  }
  return true;
}

/// What a finding rests on belongs into its sentence: metrics that failed in every arm it names.
void caution(const Check& check, const std::vector<ControlRow>& controls, CheckResult& finding) {
  if (check.kind == CheckKind::unreliable) return;
  std::set<std::string> said;
  for (const Side& side : check.sides) {
    if (side.number || is_control(side.query.method)) continue;
    const auto names = [&](const ControlRow& row) {
      return row.measure.metric == side.query.metric &&
             has_params(row.measure.setting, side.query.params) &&
             (side.query.arm.empty() || row.arm == side.query.arm) &&
             (side.query.audit.empty() || row.measure.audit == side.query.audit);
    };
    std::size_t failed = 0, passed = 0;
    for (const ControlRow& row : controls) {
      if (!names(row)) continue;
      if (row.verdict == ControlVerdict::failed) ++failed;
      if (row.verdict == ControlVerdict::passed) ++passed;
    }
    if (failed > 0 && passed == 0 && said.insert(side.query.metric).second) {
      finding.sentence +=
          fmt::format("; {} failed its controls here, so this says little", side.query.metric);
    }
  }
}

Json finding_json(const CheckResult& finding) {
  Json json;
  json["finding"] = finding.finding;
  json["source"] = finding.source;
  if (finding.control) json["control"] = true;
  json["outcome"] = name(finding.outcome);
  json["sentence"] = finding.sentence;
  json.update(estimate_json(finding.estimate));
  json["n"] = finding.n;
  json["how"] = finding.how;
  return json;
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
  }
  return result;
}

Json summary_json(const Study& study) {
  Json json;
  json["findings"] = Json::array();
  for (const CheckResult& finding : study.findings)
    json["findings"].push_back(finding_json(finding));
  json["methods"] = Json::array();
  for (const MethodResult& result : study.results) json["methods"].push_back(result_json(result));
  json["controls"] = Json::array();
  for (const ControlRow& row : study.controls) json["controls"].push_back(control_json(row));
  json["failed_controls"] = study.failed;
  json["failed_runs"] = Json::array();
  for (const FailedRuns& runs : study.failed_runs) {
    json["failed_runs"].push_back(failed_runs_json(runs));
  }
  json["comparison"] = comparison_json(study.comparison);
  json["variance"] = Json::array();
  for (const VarianceRow& row : study.variance) json["variance"].push_back(variance_json(row));
  return json;
}

}  // namespace vestige::study
