// Results as tidy rows.
#include "vestige/report/results_json.h"

#include <fmt/format.h>
#include <vestige/version.h>

#include <cmath>

#include "vestige/report/pictures.h"
#include "vestige/report/row_json.h"

namespace vestige::report {
namespace {

/// Six digits are more than a plot can show and make the file half as long.
Json plot_number(double value) {
  return std::isfinite(value) ? Json(std::stod(fmt::format("{:.6g}", value))) : Json();
}

Json series_json(const metrics::Series& series) {
  Json columns = Json::object();
  for (const auto& [name, values] : series.columns) {
    Json& column = columns[name] = Json::array();
    for (const double value : values) column.push_back(plot_number(value));
  }
  return {{"kind", series.kind},     {"metric", series.metric},
          {"model", series.model},   {"group", series.group},
          {"params", series.params}, {"control", metrics::name(series.control)},
          {"columns", columns}};
}

Json test_json(const audit::VerdictTest& test) {
  return {{"metric", test.metric},
          {"estimate", json_number(test.difference.estimate)},
          {"lower", json_number(test.difference.lower)},
          {"upper", json_number(test.difference.upper)},
          {"margin", json_number(test.margin)},
          {"what", test.what},
          {"shows", audit::name(test.shows)},
          {"within", test.within},
          {"core", test.core},
          {"p", json_number(test.difference.p)},
          {"holm", json_number(test.holm)},
          {"lower90", json_number(test.difference.lower90)},
          {"upper90", json_number(test.difference.upper90)},
          {"method", json_number(test.method)},
          {"retrained", json_number(test.retrained)},
          {"original", json_number(test.original)}};
}

Json verdict_json(const audit::Verdict& verdict) {
  Json tests = Json::array();
  for (const audit::VerdictTest& test : verdict.tests) tests.push_back(test_json(test));
  return {{"method", verdict.method},
          {"model", verdict.model},
          {"under", audit::name(verdict.under)},
          {"over", audit::name(verdict.over)},
          {"equivalent", audit::name(verdict.equivalent)},
          {"utility_loss", audit::name(verdict.utility_loss)},
          {"sentence", verdict.sentence},
          {"cannot", verdict.cannot},
          {"tests", tests}};
}

Json worst_json(const evidence::Evidence& evidence, const audit::WorstRows& worst) {
  Json rows = Json::array();
  std::vector<std::size_t> places;
  for (const audit::WorstRow& row : worst.rows) {
    places.push_back(row.row);
    Json scores = Json::array();
    for (const double score : row.scores) scores.push_back(json_number(score));
    rows.push_back({{"row", row.row},
                    {"id", row.id},
                    {"label", row.label},
                    {"subject", row.subject},
                    {"scores", scores}});
  }
  return {{"split", worst.split},
          {"columns", worst.columns},
          {"rows", rows},
          {"pictures", pictures_json(evidence, places)}};
}

Json evidence_json(const evidence::Evidence& evidence, const evidence::Findings& findings,
                   const audit::Grade& grade) {
  Json json = {{"path", evidence.path.string()},          {"kind", evidence::name(evidence.kind)},
               {"kind_declared", evidence.kind_declared}, {"classes", evidence.classes},
               {"grade", std::string(1, grade.letter)},   {"grade_reason", grade.sentence}};
  if (!evidence.notes.empty()) json["notes"] = evidence.notes;
  for (const evidence::Group& group : evidence.groups)
    json["models"][group.id()] = group.models.size();
  for (const auto& [split, labels] : evidence.labels) json["rows"][split] = labels.size();
  json["findings"] = Json::array();
  for (const evidence::Finding& finding : findings) {
    json["findings"].push_back(evidence::sentence(finding));
  }
  return json;
}

}  // namespace

std::string results_json(const evidence::Evidence& evidence, const evidence::Findings& findings,
                         const audit::AuditResult& result, const Run& run) {
  Json json;
  json["schema"] = 1;
  json["tool"] = {{"name", "vestige"},
                  {"version", kVersion},
                  {"commit", kCommit},
                  {"compiler", kCompiler},
                  {"build", kBuildType}};
  json["run"] = {{"command", run.command}, {"seed", run.seed},       {"threads", run.threads},
                 {"started", run.started}, {"seconds", run.seconds}, {"options", run.options}};
  json["evidence"] = evidence_json(evidence, findings, result.grade);
  json["inputs"] = Json::array();
  for (const evidence::Input& input : evidence.inputs) {
    json["inputs"].push_back(
        {{"path", input.path}, {"sha256", input.sha256}, {"shape", input.shape}});
  }
  json["remarks"] = result.remarks;
  json["skipped"] = Json::array();
  for (const audit::Skipped& skipped : result.skipped) {
    json["skipped"].push_back({{"family", skipped.family}, {"missing", skipped.sentence}});
  }
  json["results"] = Json::array();
  for (const metrics::Row& row : result.rows) json["results"].push_back(row_json(row));
  json["series"] = Json::array();
  for (const metrics::Series& series : result.series) json["series"].push_back(series_json(series));
  json["verdicts"] = Json::array();
  for (const audit::Verdict& verdict : result.verdicts) {
    json["verdicts"].push_back(verdict_json(verdict));
  }
  json["worst"] = worst_json(evidence, result.worst);
  json["correlations"] = result.correlations;
  Json columns = Json::array();
  for (const metrics::SampleColumn& column : result.columns) {
    columns.push_back({{"name", column.name}, {"split", column.split}});
  }
  json["samples"] = {{"file", "samples.csv"}, {"columns", columns}};
  // Names may hold bytes that are no UTF-8 (file names); they are replaced rather than fatal.
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vestige::report
