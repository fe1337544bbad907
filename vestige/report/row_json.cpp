// Rows as JSON, and back.
#include "vestige/report/row_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "vestige/base/error.h"
#include "vestige/metrics/family.h"
#include "vestige/report/json_fields.h"

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
  if (schema >= 2 || metrics::find_metric(id) != nullptr) return id;
  const std::string now = metrics::renamed(id);
  return now.empty() ? id : now;
}

Json row_json(const study::StudyRow& row, bool of_experiment) {
  const metrics::Row& own = row.row;
  Json json = {{"metric", own.metric},
               {"subject", subject_json(own.subject)},
               {"value", json_number(own.value)},
               {"lower", json_number(own.lower)},
               {"upper", json_number(own.upper)},
               {"interval", own.interval},
               {"n", own.n},
               {"direction", metrics::name(own.direction)},
               {"ideal", json_number(own.ideal)},
               {"reference", json_number(own.reference)},
               {"status", metrics::name(own.status)},
               {"note", own.note},
               {"control", metrics::name(own.control)},
               {"settings", own.settings},
               {"facts", own.facts},
               {"seed", own.seed}};
  if (of_experiment) {
    json["arm"] = row.arm;
    json["split_seed"] = row.split_seed;
    json["audit"] = row.audit;
    json["attack_seed"] = row.attack_seed;
  }
  return json;
}

study::StudyRow row_of(const Json& json, int schema) {
  study::StudyRow row;
  metrics::Row& own = row.row;
  own.metric = current_id(text_of(json, "metric"), schema);
  own.subject = subject_of(json, schema);
  require(!own.metric.empty() && !own.subject.role.empty(),
          "a row of the results has no metric or no {}: it was damaged",
          schema < 2 ? "model" : "subject");
  own.value = number_of(json, "value");
  own.lower = number_of(json, "lower");
  own.upper = number_of(json, "upper");
  own.interval = text_of(json, "interval");
  own.n = whole_of(json, "n");
  own.direction = named(json, "direction", metrics::kDirections, metrics::Direction::match);
  own.ideal = number_of(json, "ideal");
  own.reference = number_of(json, "reference");
  own.status = named(json, "status", metrics::kStatuses,
                     std::isnan(own.value) ? metrics::Status::undefined : metrics::Status::ok);
  own.note = text_of(json, "note");
  own.control = named(json, "control", metrics::kControls, metrics::Control::none);
  if (schema < 2) {
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
  own.seed = whole_of(json, "seed");
  row.arm = text_of(json, "arm");
  row.split_seed = whole_of(json, "split_seed");
  row.audit = text_of(json, "audit");
  row.attack_seed = whole_of(json, "attack_seed", row.attack_seed);
  return row;
}

}  // namespace vestige::report
