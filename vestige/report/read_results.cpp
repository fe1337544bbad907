// Reading results.json of any schema that was ever released.
#include "vestige/report/read_results.h"

#include <fmt/format.h>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/report/json_fields.h"
#include "vestige/report/parts_json.h"
#include "vestige/report/row_json.h"

namespace vestige::report {
namespace {

int schema_of(const Json& json, const std::string& where) {
  require(json.is_object() && json.contains("schema") && json.contains("results"),
          "{} is no results.json: it has no schema and no results; vestige audit DIR --out OUT "
          "writes one",
          where);
  const Json& schema = json["schema"];
  require(schema.is_number_integer() && schema >= kOldestSchema && schema <= kSchema,
          "{} has schema {}, this program reads schemas {} to {}: use the version that wrote it",
          where, schema.dump(), kOldestSchema, kSchema);
  require(json["results"].is_array(), "{}: results is no list of rows; it was damaged", where);
  return schema.get<int>();
}

Run run_of(const Json& json) {
  Run run;
  run.command = text_of(json, "command");
  run.title = text_of(json, "title");
  run.seed = whole_of(json, "seed", run.seed);
  run.threads = static_cast<int>(whole_of(json, "threads", 1));
  run.started = text_of(json, "started");
  if (json.is_object() && json.contains("seconds")) run.seconds = number_of(json, "seconds");
  if (list_of(json, "options").is_object()) run.options = list_of(json, "options");
  if (list_of(json, "selection").is_object()) run.selection = list_of(json, "selection");
  return run;
}

Json object_of(const Json& json, const char* key) {
  const Json& found = list_of(json, key);
  return found.is_object() ? found : Json::object();
}

/// Gives every metric that is named below its present name.
void rename_metrics(Json& json, int schema) {
  if (!json.is_structured()) return;
  for (auto& [key, value] : json.items()) {
    if (key == "metric" && value.is_string()) {
      value = current_id(value.get<std::string>(), schema);
    } else {
      rename_metrics(value, schema);
    }
  }
}

/// The word for a control that the means of an experiment lack in schema 1.
std::string role_word(const std::string& method) {
  if (method == "retrained") return "floor";
  if (method == "original") return "ceiling";
  if (method == "collapsed") return "collapsed";
  if (method.starts_with("partial/")) return "graded";
  return method.starts_with("checkpoint/") ? "checkpoint" : "";
}

Json bench_of(const Json& json, int schema) {
  if (!json.contains("bench")) return nullptr;
  Json bench = object_of(json, "bench");
  if (schema >= 2) return bench;
  rename_metrics(bench, schema);
  if (bench.contains("methods") && bench["methods"].is_array()) {
    for (Json& mean : bench["methods"]) {
      if (mean.is_object()) mean["role"] = role_word(text_of(mean, "method"));
    }
  }
  return bench;
}

}  // namespace

Results results_of(const Json& json, const std::string& where) {
  const int schema = schema_of(json, where);
  Results results;
  try {
    results.tool = object_of(json, "tool");
    results.run = run_of(object_of(json, "run"));
    results.evidence = object_of(json, "evidence");
    results.inputs = list_of(json, "inputs");
    for (const Json& remark : list_of(json, "remarks")) {
      // Sentences alone in schema 1, and in schema 2 before causes were told apart.
      if (remark.is_string()) results.remarks.push_back({"", {}, remark.get<std::string>()});
      if (remark.is_object()) {
        results.remarks.push_back({text_of(remark, "cause"), {}, text_of(remark, "text")});
        for (const Json& metric : list_of(remark, "metrics")) {
          if (metric.is_string()) results.remarks.back().metrics.push_back(metric);
        }
      }
    }
    for (const Json& skipped : list_of(json, "skipped")) {
      results.skipped.push_back({text_of(skipped, "family"), text_of(skipped, "missing")});
    }
    for (const Json& row : json["results"]) results.rows.push_back(row_of(row, schema));
    for (const Json& series : list_of(json, "series")) {
      if (series.is_object()) results.series.push_back(series_of(series, schema));
    }
    for (const Json& verdict : list_of(json, "verdicts")) {
      if (verdict.is_object()) results.verdicts.push_back(verdict_of(verdict, schema));
    }
    const Json& remembered = list_of(json, schema < 2 ? "worst" : "remembered");
    results.remembered = remembered_of(remembered);
    results.pictures = list_of(remembered, "pictures");
    results.texts = list_of(remembered, "texts");
    results.correlations = object_of(json, "correlations");
    results.samples = object_of(json, "samples");
    if (list_of(json, "requests").is_object()) results.requests = list_of(json, "requests");
    if (list_of(json, "gate").is_object()) results.gate = list_of(json, "gate");
    results.bench = bench_of(json, schema);
  } catch (const InputError& error) {
    fail("{}: {}", where, error.what());
  }
  return results;
}

Results read_results(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    fail("{} is no JSON (byte {}): give the results.json that an audit wrote", path.string(),
         error.byte);
  }
  return results_of(json, path.string());
}

}  // namespace vestige::report
