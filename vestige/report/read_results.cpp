// Tolerant reading of results.json: absent fields are undefined, nothing is guessed.
#include "vestige/report/read_results.h"

#include <cmath>
#include <limits>

#include "vestige/base/error.h"
#include "vestige/base/file.h"

namespace vestige::report {
namespace {

using metrics::Control;
using metrics::Direction;
using metrics::Status;

template <typename Enum, std::size_t kCount>
Enum named(const std::string& text, const Enum (&values)[kCount], Enum otherwise) {
  for (const Enum value : values) {
    if (metrics::name(value) == text) return value;
  }
  return otherwise;
}

std::uint64_t whole_of(const Json& object, const char* key) {
  const double value = number_of(object, key);
  return value >= 0 && value < 9e15 ? static_cast<std::uint64_t>(value) : 0;
}

metrics::Row row_of(const Json& json) {
  metrics::Row row;
  row.metric = text_of(json, "metric");
  row.model = text_of(json, "model");
  row.value = number_of(json, "value");
  row.lower = number_of(json, "lower");
  row.upper = number_of(json, "upper");
  row.interval = text_of(json, "interval");
  row.n = whole_of(json, "n");
  row.direction = named(text_of(json, "direction"),
                        {Direction::lower, Direction::higher, Direction::match}, Direction::match);
  row.ideal = number_of(json, "ideal");
  row.reference = number_of(json, "reference");
  row.status = named(text_of(json, "status"),
                     {Status::ok, Status::undefined, Status::skipped, Status::unreliable},
                     std::isnan(row.value) ? Status::undefined : Status::ok);
  row.note = text_of(json, "note");
  row.control =
      named(text_of(json, "control"),
            {Control::none, Control::floor, Control::ceiling, Control::collapsed, Control::graded},
            Control::none);
  if (json.contains("params") && json["params"].is_object()) row.params = json["params"];
  row.seed = whole_of(json, "seed");
  return row;
}

}  // namespace

void check_results(const Json& results, const std::string& where) {
  require(results.is_object() && results.contains("schema") && results.contains("results"),
          "{} is no results.json: it has no schema and no results; vestige audit DIR --out OUT "
          "writes one",
          where);
  require(results["schema"] == kSchema,
          "{} has schema {}, this program reads schema {}: use the version that wrote it", where,
          results["schema"].dump(), kSchema);
  require(results["results"].is_array(), "{}: results is no list of rows; it was damaged", where);
  for (const Json& row : results["results"]) {
    require(row.is_object() && row.contains("metric") && row.contains("model"),
            "{}: a row of results has no metric or no model; it was damaged", where);
  }
}

Json read_results(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  Json results;
  try {
    results = Json::parse(text);
  } catch (const Json::parse_error& error) {
    fail("{} is no JSON (byte {}): give the results.json that an audit wrote", path.string(),
         error.byte);
  }
  check_results(results, path.string());
  return results;
}

double number_of(const Json& object, const char* key) {
  if (!object.is_object()) return metrics::kUndefined;
  const auto found = object.find(key);
  if (found == object.end()) return metrics::kUndefined;
  if (found->is_number()) return found->get<double>();
  if (*found == "inf") return std::numeric_limits<double>::infinity();
  if (*found == "-inf") return -std::numeric_limits<double>::infinity();
  return metrics::kUndefined;
}

std::string text_of(const Json& object, const char* key) {
  if (!object.is_object()) return "";
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

const Json& list_of(const Json& object, const char* key) {
  static const Json kEmpty = Json::array();
  if (!object.is_object()) return kEmpty;
  const auto found = object.find(key);
  return found != object.end() && found->is_structured() ? *found : kEmpty;
}

std::vector<study::StudyRow> rows_of(const Json& results) {
  std::vector<study::StudyRow> rows;
  for (const Json& json : list_of(results, "results")) {
    if (!json.is_object()) continue;
    study::StudyRow row;
    row.arm = text_of(json, "arm");
    row.split_seed = whole_of(json, "split_seed");
    row.audit = text_of(json, "audit");
    row.attack_seed = whole_of(json, "attack_seed");
    row.row = row_of(json);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace vestige::report
