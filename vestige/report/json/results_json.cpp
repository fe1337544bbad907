// Writing results.json.
#include "vestige/report/json/results_json.h"

#include "vestige/report/json/parts_json.h"
#include "vestige/report/json/row_json.h"
#include "vestige/result/codec.h"
#include "vestige/study/method_lines.h"
#include "vestige/words/words.h"

namespace vestige::report {

Json run_json(const Run& run) {
  Json json = result::json_of(run);
  if (!run.selection) json.erase("selection");
  if (run.title.empty()) json.erase("title");
  return json;
}

Json bench_json_of(const Results& results) { return result::json_of(results.bench); }

Json results_json(const Results& results) {
  Json json;
  json["schema"] = kSchema;
  json["tool"] = results.tool;
  json["run"] = run_json(results.run);
  json["evidence"] = results.evidence;
  json["inputs"] = results.inputs;
  json["remarks"] = result::json_of(results.remarks);
  json["skipped"] = result::json_of(results.skipped);
  const bool of_experiment = results.bench.has_value();
  json["results"] = Json::array();
  for (const study::StudyRow& row : results.rows) {
    json["results"].push_back(row_json(row, of_experiment));
  }
  // What can be read off the rows above, for those who do not want to: methods over their models.
  const std::vector<study::StudyRow> lines = lines_over_models(results.rows);
  for (const study::StudyRow& line : lines) {
    json["lines"].push_back(row_json(line, of_experiment));
    json["lines"].back()["by_model"] = line.row.by_model;
  }
  json["series"] = Json::array();
  for (const metrics::Series& series : results.series) {
    json["series"].push_back(series_json(series));
  }
  json["verdicts"] = Json::array();
  for (const audit::Verdict& verdict : results.verdicts) {
    json["verdicts"].push_back(verdict_json(verdict));
  }
  json["remembered"] = result::json_of(results.remembered);
  json["remembered"]["pictures"] = results.pictures;
  if (!results.texts.empty()) json["remembered"]["texts"] = results.texts;
  json["correlations"] = results.correlations;
  json["samples"] = results.samples ? result::json_of(*results.samples) : Json::object();
  if (results.requests) json["requests"] = result::json_of(*results.requests);
  if (results.gate) json["gate"] = result::json_of(*results.gate);
  if (of_experiment) json["bench"] = bench_json_of(results);
  words::add_texts(json);
  return json;
}

std::string results_text(const Results& results) {
  // Names may hold bytes that are no UTF-8 (file names); they are replaced rather than fatal.
  return results_json(results).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace vestige::report
