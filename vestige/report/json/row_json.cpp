// Rows as JSON, and back.
#include "vestige/report/json/row_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "vestige/base/error.h"
#include "vestige/metrics/family.h"
#include "vestige/report/json/json_fields.h"
#include "vestige/result/codec.h"

namespace vestige::report {
namespace {

/// Keys of `params` in schema 1 that made rows comparable; all others were facts.
constexpr std::array<std::string_view, 15> kSettingsOfSchema1 = {
    "alpha", "attack", "classifier", "features", "form",  "fpr",   "halves",     "layer",
    "mode",  "models", "rule",       "score",    "setup", "split", "experiments"};

bool was_setting(std::string_view key) {
  return std::find(kSettingsOfSchema1.begin(), kSettingsOfSchema1.end(), key) !=
         kSettingsOfSchema1.end();
}

Json list_or_text(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() ? Json() : *found;
}

Json table_of(const Json& json, const char* key) {
  const Json& found = list_of(json, key);
  return found.is_object() ? found : Json::object();
}

}  // namespace

Json subject_json(const metrics::Subject& subject) {
  return {{"role", subject.role}, {"method", subject.method}, {"name", subject.name}};
}

metrics::Subject subject_of(const Json& owner, int schema) {
  if (schema < 2) return metrics::parse_subject(text_of(owner, "model"));
  const Json& subject = list_of(owner, "subject");
  return {text_of(subject, "role"), text_of(subject, "method"), text_of(subject, "name")};
}

std::string current_id(const std::string& id, int schema) {
  if (schema >= 3 || metrics::find_metric(id) != nullptr) return id;
  const std::string now = metrics::renamed(id);
  return now.empty() ? id : now;
}

Json row_json(const study::StudyRow& row, bool of_experiment) {
  Json json = result::json_of(row.row);
  if (of_experiment) {
    json["variant"] = row.variant;
    json["split_seed"] = row.split_seed;
    json["audit"] = row.audit;
    json["attack_seed"] = row.attack_seed;
  }
  return json;
}

study::StudyRow row_of(const Json& json, int schema) {
  study::StudyRow row;
  metrics::Row& own = row.row;
  result::read(json, own);
  own.metric = current_id(own.metric, schema);
  own.subject = subject_of(json, schema);
  require(!own.metric.empty() && !own.subject.role.empty(),
          "a row of the results has no metric or no {}: it was damaged",
          schema < 2 ? "model" : "subject");
  if (!json.contains("status") && std::isnan(own.value)) own.status = metrics::Status::undefined;
  if (schema < 3) {
    result::Reason note;
    result::read(list_or_text(json, "note"), note);
    if (!note.empty()) own.notes = {note};
  }
  if (schema < 2) {
    own.settings = Json::object();
    own.facts = Json::object();
    const Json params = table_of(json, "params");
    for (const auto& [key, value] : params.items()) {
      (was_setting(key) ? own.settings : own.facts)[key] = value;
    }
    // 0.1.0 compared models on the way with the first retrained one, which says nothing.
    if (own.control == metrics::Control::checkpoint) own.reference = metrics::kUndefined;
  } else {
    own.settings = table_of(json, "settings");
    own.facts = table_of(json, "facts");
  }
  row.variant = text_of(json, "variant");
  row.split_seed = whole_of(json, "split_seed");
  row.audit = text_of(json, "audit");
  row.attack_seed = whole_of(json, "attack_seed", row.attack_seed);
  return row;
}

}  // namespace vestige::report
