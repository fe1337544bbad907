// Rows as JSON.
#include "vestige/report/row_json.h"

#include "vestige/base/error.h"

namespace vestige::report {
namespace {

double number(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? metrics::kUndefined : value.get<double>();
}

/// The value among `all` whose name is in the file.
template <typename Enumeration>
Enumeration named(const Json& json, const char* key, std::initializer_list<Enumeration> all) {
  const std::string text = json.at(key).get<std::string>();
  for (const Enumeration value : all) {
    if (metrics::name(value) == text) return value;
  }
  fail("a row of the results has {} '{}', which is not known", key, text);
}

}  // namespace

Json row_json(const metrics::Row& row) {
  return {{"metric", row.metric},
          {"model", row.model},
          {"value", json_number(row.value)},
          {"lower", json_number(row.lower)},
          {"upper", json_number(row.upper)},
          {"interval", row.interval},
          {"n", row.n},
          {"direction", metrics::name(row.direction)},
          {"ideal", json_number(row.ideal)},
          {"reference", json_number(row.reference)},
          {"status", metrics::name(row.status)},
          {"note", row.note},
          {"control", metrics::name(row.control)},
          {"params", row.params},
          {"seed", row.seed}};
}

metrics::Row row_of(const Json& json) {
  using metrics::Control, metrics::Direction, metrics::Status;
  try {
    metrics::Row row;
    row.metric = json.at("metric").get<std::string>();
    row.model = json.at("model").get<std::string>();
    row.value = number(json, "value");
    row.lower = number(json, "lower");
    row.upper = number(json, "upper");
    row.interval = json.at("interval").get<std::string>();
    row.n = json.at("n").get<std::size_t>();
    row.direction =
        named(json, "direction", {Direction::lower, Direction::higher, Direction::match});
    row.ideal = number(json, "ideal");
    row.reference = number(json, "reference");
    row.status =
        named(json, "status", {Status::ok, Status::undefined, Status::skipped, Status::unreliable});
    row.note = json.at("note").get<std::string>();
    row.control = named(json, "control",
                        {Control::none, Control::floor, Control::ceiling, Control::collapsed,
                         Control::graded, Control::checkpoint});
    row.params = json.at("params");
    row.seed = json.at("seed").get<std::uint64_t>();
    return row;
  } catch (const Json::exception& error) {
    fail("a row of the results is not as docs/results.md says: {}", error.what());
  }
}

}  // namespace vestige::report
