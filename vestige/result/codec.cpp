// JSON of plain values and of reasons.
#include "vestige/result/codec.h"

#include <limits>

namespace vestige::result {
namespace {

Json json_of_argument(const Argument& argument) {
  return std::visit([](const auto& value) { return json_of(value); }, argument);
}

Argument argument_of(const Json& json, Kind kind) {
  switch (kind) {
    case Kind::number:
      return from_json<double>(json);
    case Kind::count:
      return from_json<std::int64_t>(json);
    case Kind::text:
    case Kind::metric:
      return from_json<std::string>(json);
    case Kind::texts:
    case Kind::metrics:
      return from_json<std::vector<std::string>>(json);
    case Kind::reasons:
      return from_json<Reasons>(json);
  }
  return {};
}

}  // namespace

void read(const Json& json, double& value) {
  if (json.is_number()) {
    value = json.get<double>();
  } else if (json == "inf") {
    value = std::numeric_limits<double>::infinity();
  } else if (json == "-inf") {
    value = -std::numeric_limits<double>::infinity();
  } else {
    value = std::numeric_limits<double>::quiet_NaN();
  }
}

void read(const Json& json, bool& value) {
  if (json.is_boolean()) value = json.get<bool>();
}

void read(const Json& json, char& value) {
  if (json.is_string() && json.get_ref<const std::string&>().size() == 1) {
    value = json.get_ref<const std::string&>().front();
  }
}

void read(const Json& json, std::string& value) {
  if (json.is_string()) value = json.get<std::string>();
}

void read(const Json& json, Json& value) { value = json; }

void read(const Json& json, Reason& value) {
  value = {};
  // Before schema 3 reasons were texts.
  if (json.is_string() && !json.get_ref<const std::string&>().empty()) {
    value = reason(Code::earlier_text, json.get<std::string>());
  }
  if (!json.is_object() || !json.contains("code") || !json["code"].is_string()) return;
  const Code code = code_of(json["code"].get<std::string>());
  if (code == Code::none) {
    // Of a later version of this program: its text says what it means.
    const std::string text = from_json<std::string>(json.value("text", Json()));
    value = reason(Code::earlier_text, text.empty() ? json["code"].get<std::string>() : text);
    return;
  }
  const Json& given = json.contains("arguments") ? json["arguments"] : json;
  std::vector<Argument> arguments;
  for (const Parameter& parameter : parameters(code)) {
    const auto found = given.find(std::string(parameter.name));
    arguments.push_back(argument_of(found == given.end() ? Json() : *found, parameter.kind));
  }
  value = Reason(code, std::move(arguments));
}

void read(const Json& json, std::vector<std::pair<std::string, std::vector<double>>>& columns) {
  if (!json.is_object()) return;
  columns.clear();
  for (const auto& [key, own] : json.items()) {
    columns.emplace_back(key, from_json<std::vector<double>>(own));
  }
}

Json json_of(double value) { return json_number(value); }
Json json_of(bool value) { return value; }
Json json_of(char value) { return std::string(1, value); }
Json json_of(const std::string& value) { return value; }
Json json_of(const Json& value) { return value; }

Json json_of(const Reason& reason) {
  if (reason.empty()) return nullptr;
  Json json = {{"code", std::string(name(reason.code))}, {"arguments", Json::object()}};
  const auto known = parameters(reason.code);
  for (std::size_t i = 0; i < known.size(); ++i) {
    json["arguments"][std::string(known[i].name)] = json_of_argument(reason.arguments[i]);
  }
  return json;
}

Json json_of(const std::vector<std::pair<std::string, std::vector<double>>>& columns) {
  Json json = Json::object();
  for (const auto& [key, values] : columns) json[key] = json_of(values);
  return json;
}

void unknown_word(const std::string& word) {
  fail("'{}' is no word that this version knows here: use the version that wrote it", word);
}

}  // namespace vestige::result
