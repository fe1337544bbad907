// Reading results.json of any schema that was ever released.
#include "vestige/report/json/read_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/nesting.h"
#include "vestige/evidence/formats/utf8.h"
#include "vestige/report/json/earlier_names.h"
#include "vestige/report/json/json_fields.h"
#include "vestige/report/json/parts_json.h"
#include "vestige/report/json/row_json.h"
#include "vestige/result/codec.h"

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
  auto run = result::from_json<Run>(json);
  if (!run.options.is_object()) run.options = Json::object();
  if (!list_of(json, "selection").is_object()) run.selection.reset();
  return run;
}

Json object_of(const Json& json, const char* key) {
  const Json& found = list_of(json, key);
  return found.is_object() ? found : Json::object();
}

/// Before schema 3 a text; in schema 2 with an English heading as its cause.
result::Remark remark_of(const Json& json, int schema) {
  if (schema >= 3) return result::from_json<result::Remark>(json);
  result::Remark remark;
  if (json.is_string()) result::read(json, remark.reason);
  if (!json.is_object()) return remark;
  constexpr std::pair<std::string_view, result::Cause> kHeadings[] = {
      {"About the evidence", result::Cause::evidence},
      {"Cannot tell original from retrained here", result::Cause::cannot_tell},
      {"Rates the original better than retrained here", result::Cause::wrong_way},
      {"A constant predictor scores as well as retrained", result::Cause::constant_as_good},
      {"All that a method can gain", result::Cause::difference},
      {"Unreliable, as the metric itself found", result::Cause::unreliable},
      {"To be read with care", result::Cause::care}};
  for (const auto& [heading, cause] : kHeadings) {
    if (text_of(json, "cause") == heading) remark.cause = cause;
  }
  result::read(list_of(json, "metrics"), remark.metrics);
  result::read(Json(text_of(json, "text")), remark.reason);
  return remark;
}

result::Skipped skipped_of(const Json& json, int schema) {
  if (schema >= 3) return result::from_json<result::Skipped>(json);
  result::Skipped skipped{.group = text_of(json, "family")};
  result::read(Json(text_of(json, "missing")), skipped.reason);
  return skipped;
}

/// Before schema 3: other words and keys, and the layer of activations beside their name.
result::RequestVerdict earlier_request(Json json) {
  constexpr std::pair<std::string_view, result::RequestWord> kWords[] = {
      {"TRACES REMAIN", result::RequestWord::traces_remain},
      {"NO TRACE SHOWN", result::RequestWord::no_trace_detected},
      {"CANNOT BE DECIDED", result::RequestWord::not_decided}};
  const std::string word = text_of(json, "word");
  json.erase("word");
  auto verdict = result::from_json<result::RequestVerdict>(json);
  verdict.examples = whole_of(json, "rows");
  const auto* known = std::find_if(std::begin(kWords), std::end(kWords),
                                   [&](const auto& own) { return own.first == word; });
  if (known == std::end(kWords)) result::unknown_word(word);
  verdict.word = known->second;
  // Without a p-value nothing was tested, whatever it was called.
  if (verdict.word == result::RequestWord::not_decided && std::isnan(verdict.p)) {
    verdict.word = result::RequestWord::not_tested;
  }
  return verdict;
}

std::optional<result::Requests> requests_of(const Json& json, int schema) {
  if (!json.is_object()) return std::nullopt;
  if (schema >= 3) return result::from_json<result::Requests>(json);
  result::Requests requests;
  const std::string signal = text_of(json, "signal");
  if (!signal.empty()) {
    requests.signal = signal == "probability of the true class" ? result::RequestSignal::probability
                                                                : result::RequestSignal::likelihood;
  }
  result::read(Json(text_of(json, "missing")), requests.missing);
  requests.level = number_of(json, "level");
  requests.power = number_of(json, "power");
  for (const Json& method : list_of(json, "methods")) {
    result::MethodRequests& own = requests.methods.emplace_back();
    own.method = text_of(method, "method");
    if (const std::uint64_t needed = whole_of(method, "rows_needed")) own.examples_needed = needed;
    for (const Json& request : list_of(method, "requests")) {
      own.requests.push_back(earlier_request(request));
    }
  }
  for (Json pair : list_of(json, "near_duplicates")) {
    const std::string by = text_of(pair, "by");
    pair["by"] = by.substr(0, by.find(' '));
    pair["layer"] = by.find(' ') == std::string::npos ? "" : by.substr(by.find(' ') + 1);
    requests.near_duplicates.push_back(result::from_json<result::NearDuplicate>(pair));
  }
  return requests;
}

/// Before schema 3 a check had one text.
std::optional<result::Gate> gate_of(Json json, int schema) {
  if (!json.is_object()) return std::nullopt;
  if (schema < 3 && json.contains("checks") && json["checks"].is_array()) {
    for (Json& check : json["checks"]) {
      if (check.is_object()) check["findings"] = Json::array({text_of(check, "text")});
    }
  }
  return result::from_json<result::Gate>(json);
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

/// Changes every entry of the list under `key`, where there is one.
template <typename Change>
void change_each(Json& object, const char* key, const Change& change) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_array()) return;
  for (Json& entry : object[key]) {
    if (entry.is_object()) change(entry);
  }
}

/// The word for a control that the means of an experiment lack in schema 1.
std::string role_word(const std::string& method) {
  if (method == "retrained") return "retrained";
  if (method == "original") return "original";
  if (method == "collapsed") return "constant";
  if (method.starts_with("partial/")) return "graded";
  return method.starts_with("checkpoint/") ? "checkpoint" : "";
}

/// Before schema 3 there were sentences; those about a measure began with its name.
void name_reasons(Json& entry, const char* key, bool about_measure) {
  std::string text = text_of(entry, "sentence");
  const std::size_t colon = about_measure ? text.find(": ") : std::string::npos;
  if (colon != std::string::npos) text.erase(0, colon + 2);
  if (!text.empty())
    entry[key] = key == std::string_view("source") ? Json(text) : Json::array({text});
}

std::optional<result::Experiment> bench_of(const Json& json, int schema) {
  if (!json.contains("bench")) return std::nullopt;
  Json bench = object_of(json, "bench");
  if (schema < 3) rename_metrics(bench, schema);
  if (schema < 2) {
    change_each(bench, "methods",
                [](Json& mean) { mean["role"] = role_word(text_of(mean, "method")); });
  }
  if (schema < 3) {
    change_each(bench, "findings", [](Json& own) { name_reasons(own, "reasons", false); });
    change_each(bench, "variance", [](Json& own) { name_reasons(own, "source", true); });
    if (bench.contains("comparison")) {
      change_each(bench["comparison"], "metrics",
                  [](Json& own) { name_reasons(own, "reasons", true); });
    }
  }
  return result::from_json<result::Experiment>(bench);
}

/// The parts whose keys and words were renamed in schema 3.
Json with_present_names(Json json) {
  for (const char* part : {"results", "series", "verdicts", "bench"}) {
    if (json.contains(part)) use_present_names(json[part]);
  }
  return json;
}

/// Whether a terminal obeys the text: ASCII's control characters, and U+0080 to U+009F.
bool obeyed(std::string_view text) {
  for (std::size_t place = 0; place < text.size(); ++place) {
    const auto byte = static_cast<unsigned char>(text[place]);
    if (byte < 0x20 || byte == 0x7f) return true;
    const bool second = byte == 0xc2 && place + 1 < text.size();
    if (second && static_cast<unsigned char>(text[place + 1]) < 0xa0) return true;
  }
  return false;
}

/// Methods and requests have names that a terminal shows as they are: with a line end or an escape
/// sequence, one could write lines of other methods.
void check_names(const Json& json, const std::string& where) {
  if (!json.is_structured()) return;
  for (const auto& [key, value] : json.items()) {
    const bool is_name = json.is_object() && (key == "method" || key == "variant" ||
                                              key == "request" || key == "title");
    if (is_name && value.is_string()) {
      const std::string& name = value.get_ref<const std::string&>();
      require(!obeyed(name), "{}: the {} '{}' has control characters", where, key,
              evidence::printable(name));
    }
    check_names(value, where);
  }
}

}  // namespace

Results results_of(const Json& given, const std::string& where) {
  const int schema = schema_of(given, where);
  const Json renamed = schema < 3 ? with_present_names(given) : Json();
  const Json& json = schema < 3 ? renamed : given;
  check_names(json, where);
  Results results;
  try {
    results.tool = object_of(json, "tool");
    results.run = run_of(object_of(json, "run"));
    results.evidence = object_of(json, "evidence");
    results.inputs = list_of(json, "inputs");
    for (const Json& remark : list_of(json, "remarks")) {
      results.remarks.push_back(remark_of(remark, schema));
    }
    for (const Json& skipped : list_of(json, "skipped")) {
      results.skipped.push_back(skipped_of(skipped, schema));
    }
    for (const Json& row : json["results"]) results.rows.push_back(row_of(row, schema));
    for (const Json& series : list_of(json, "series")) {
      if (series.is_object()) results.series.push_back(series_of(series, schema));
    }
    for (const Json& verdict : list_of(json, "verdicts")) {
      if (verdict.is_object()) results.verdicts.push_back(verdict_of(verdict, schema));
    }
    const Json& remembered = list_of(json, schema < 2 ? "worst" : "remembered");
    result::read(remembered, results.remembered);
    results.pictures = list_of(remembered, "pictures");
    results.texts = list_of(remembered, "texts");
    results.correlations = object_of(json, "correlations");
    if (!object_of(json, "samples").empty()) {
      results.samples = result::from_json<result::SampleFile>(json["samples"]);
    }
    results.requests = requests_of(list_of(json, "requests"), schema);
    results.gate = gate_of(list_of(json, "gate"), schema);
    results.bench = bench_of(json, schema);
  } catch (const InputError& error) {
    fail("{}: {}", where, error.what());
  }
  return results;
}

Results read_results(const std::filesystem::path& given) {
  std::error_code ignored;
  const std::filesystem::path path =
      std::filesystem::is_directory(given, ignored) ? given / "results.json" : given;
  const std::string text = read_file(path, kMostOfResults);
  require(!json_too_deep(text),
          "{} is nested too deeply: give the results.json that an audit wrote", path.string());
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
