// An audit as results.
#include "vestige/report/results.h"

#include <vestige/version.h>

#include "vestige/report/json/json_fields.h"
#include "vestige/report/json/parts_json.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/json/row_json.h"
#include "vestige/report/page/pictures.h"
#include "vestige/report/page/texts.h"
#include "vestige/result/codec.h"
#include "vestige/words/words.h"

namespace vestige::report {
namespace {

Json evidence_json(const evidence::Evidence& evidence, const evidence::Findings& findings,
                   const result::Grade& grade) {
  Json json = {
      {"path", evidence.path.string()},          {"kind", evidence::name(evidence.kind)},
      {"kind_declared", evidence.kind_declared}, {"classes", evidence.classes},
      {"grade", std::string(1, grade.letter)},   {"grade_reason", words::text(grade.reason)}};
  if (!evidence.notes.empty()) json["notes"] = evidence.notes;
  for (const evidence::Group& group : evidence.groups)
    json["models"][group.id()] = group.models.size();
  for (const auto& [split, labels] : evidence.labels) json["rows"][split] = labels.size();
  json["findings"] = Json::array();
  for (const evidence::Finding& finding : findings) {
    const std::string text = words::text(evidence::about(finding));
    json["findings"].push_back(finding.code.empty() ? text : finding.code + ": " + text);
  }
  json["checks"] = findings_json(findings);
  return json;
}

}  // namespace

Json findings_json(const evidence::Findings& findings) {
  Json list = Json::array();
  for (const evidence::Finding& finding : findings) {
    list.push_back({{"severity", result::name(finding.severity)},
                    {"code", finding.code},
                    {"file", finding.file},
                    {"model", finding.model},
                    {"reason", result::json_of(finding.reason)},
                    {"text", words::text(evidence::about(finding))}});
  }
  // As in results.json, so that a page made from either is the same.
  words::add_texts(list);
  return list;
}

result::Margins margins_of(const Results& results) {
  using result::Margins;
  Margins margins;
  Margins::fields([&](const char* key, double Margins::*field, const char*) {
    margins.*field = number_of(results.run.options, (std::string("verdict.") + key).c_str());
  });
  // Every verdict says its own margin too; audits of an experiment may differ.
  for (const audit::Verdict& verdict : results.verdicts) {
    if (verdict.margin > margins.margin) margins.margin = verdict.margin;
  }
  return margins;
}

Json this_tool() {
  return {{"name", "vestige"},
          {"version", kVersion},
          {"commit", kCommit},
          {"compiler", kCompiler},
          {"build", kBuildType}};
}

Results audit_results(const evidence::Evidence& evidence, const evidence::Findings& findings,
                      const audit::AuditResult& measured, const Run& run) {
  Results results;
  results.tool = this_tool();
  results.run = run;
  results.evidence = evidence_json(evidence, findings, measured.grade);
  for (const evidence::Input& input : evidence.inputs) {
    results.inputs.push_back(
        {{"path", input.path}, {"sha256", input.sha256}, {"shape", input.shape}});
  }
  results.remarks = measured.remarks;
  results.skipped = measured.skipped;
  for (const metrics::Row& row : measured.rows) {
    results.rows.push_back({.variant = {}, .audit = {}, .row = row});
    results.rows.back().row.terms.clear();
    results.rows.back().row.by_model.clear();
    results.rows.back().row.contrast.reset();
  }
  // With the digits of results.json: a plot that chooses among points chooses the same ones from
  // what was measured now and from what is read back.
  for (const metrics::Series& series : measured.series) {
    results.series.push_back(series_of(series_json(series), kSchema));
  }
  results.verdicts = measured.verdicts;
  results.remembered = measured.remembered;
  std::vector<std::size_t> places;
  for (const audit::RememberedRow& row : measured.remembered.rows) places.push_back(row.row);
  results.pictures = pictures_json(evidence, places);
  for (Json& drawn : samples_json(evidence)) results.pictures.push_back(std::move(drawn));
  results.texts = texts_json(evidence, places);
  results.correlations = measured.correlations;
  result::SampleFile& samples = results.samples.emplace();
  samples.file = "samples.csv";
  for (const metrics::SampleColumn& column : measured.columns) {
    samples.columns.push_back({.name = column.name, .split = column.split});
  }
  return results;
}

}  // namespace vestige::report
