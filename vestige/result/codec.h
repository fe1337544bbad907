// Structs as JSON and back, from one list of fields per struct:
//
//   struct Estimate {
//     double value = kUndefined;
//     static constexpr std::string_view kType = "Estimate";
//     template <typename Visit>
//     static void fields(Visit&& visit) {
//       visit("value", &Estimate::value, "the measured value");
//     }
//   };
//
// A member with the key kInline is a struct whose fields stand in the object itself.
// The same lists make docs/reference/results.md and Python's classes (result/schema.h).
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/base/json.h"
#include "vestige/result/names.h"
#include "vestige/result/reason.h"

namespace vestige::result {

template <typename Type>
concept Listed = requires {
  Type::kType;
};

// What a reader does with a value of the wrong kind, or a whole number that its type cannot hold:
// it is absent, as in a file that lacks it.
void read(const Json& json, double& value);
void read(const Json& json, bool& value);
void read(const Json& json, char& value);
void read(const Json& json, std::string& value);
void read(const Json& json, Json& value);
void read(const Json& json, Reason& value);
template <typename Integer>
requires(std::is_integral_v<Integer> && !std::same_as<Integer, bool> &&
         !std::same_as<Integer, char>) void read(const Json& json, Integer& value) {
  if (json.is_number_unsigned()) {
    const auto whole = json.get<std::uint64_t>();
    if (std::in_range<Integer>(whole)) value = static_cast<Integer>(whole);
  } else if (json.is_number_integer()) {
    const auto whole = json.get<std::int64_t>();
    if (std::in_range<Integer>(whole)) value = static_cast<Integer>(whole);
  }
}
template <Named Enumeration>
void read(const Json& json, Enumeration& value);
template <Listed Struct>
void read(const Json& json, Struct& value);
template <typename Value>
void read(const Json& json, std::vector<Value>& values);
template <typename Value>
void read(const Json& json, std::map<std::string, Value>& values);
template <typename Value>
void read(const Json& json, std::optional<Value>& value);
/// Columns of a plot: name and values, in the order of the object.
void read(const Json& json, std::vector<std::pair<std::string, std::vector<double>>>& columns);

Json json_of(double value);  ///< NaN is null, infinities are "inf" and "-inf"
Json json_of(bool value);
Json json_of(char value);
Json json_of(const std::string& value);
Json json_of(const Json& value);
/// {"code": "few_models", "arguments": {"models": 3}}; null without a code.
Json json_of(const Reason& reason);
template <typename Integer>
requires(std::is_integral_v<Integer> && !std::same_as<Integer, bool> &&
         !std::same_as<Integer, char>) Json json_of(Integer value) {
  return value;
}
template <Named Enumeration>
Json json_of(Enumeration value) {
  return std::string(name(value));
}
template <Listed Struct>
Json json_of(const Struct& value);
template <typename Value>
Json json_of(const std::vector<Value>& values);
template <typename Value>
Json json_of(const std::map<std::string, Value>& values);
template <typename Value>
Json json_of(const std::optional<Value>& value);
Json json_of(const std::vector<std::pair<std::string, std::vector<double>>>& columns);

/// InputError: a field has a word that this program does not know; it would be shown as something
/// that it is not.
[[noreturn]] void unknown_word(const std::string& word);

template <Named Enumeration>
void read(const Json& json, Enumeration& value) {
  if (!json.is_string()) return;
  const std::optional<Enumeration> found = from_name<Enumeration>(json.get<std::string>());
  if (!found) unknown_word(json.get<std::string>());
  value = *found;
}

template <Listed Struct>
void read(const Json& json, Struct& value) {
  if (!json.is_object()) return;
  Struct::fields([&](const char* key, auto member, const char*) {
    if (*key == *kInline) return read(json, value.*member);
    const auto found = json.find(key);
    if (found != json.end()) read(*found, value.*member);
  });
}

template <typename Value>
void read(const Json& json, std::vector<Value>& values) {
  if (!json.is_array()) return;
  values.clear();
  for (const Json& own : json) {
    Value value{};
    read(own, value);
    values.push_back(std::move(value));
  }
}

template <typename Value>
void read(const Json& json, std::map<std::string, Value>& values) {
  if (!json.is_object()) return;
  values.clear();
  for (const auto& [key, own] : json.items()) read(own, values[key]);
}

template <typename Value>
void read(const Json& json, std::optional<Value>& value) {
  if (json.is_null()) return value.reset();
  value.emplace();
  read(json, *value);
}

template <Listed Struct>
Json json_of(const Struct& value) {
  Json json = Json::object();
  Struct::fields([&](const char* key, auto member, const char*) {
    if (*key == *kInline) {
      json.update(json_of(value.*member));
    } else {
      json[key] = json_of(value.*member);
    }
  });
  return json;
}

template <typename Value>
Json json_of(const std::vector<Value>& values) {
  Json json = Json::array();
  for (const auto& value : values) json.push_back(json_of(static_cast<const Value&>(value)));
  return json;
}

template <typename Value>
Json json_of(const std::map<std::string, Value>& values) {
  Json json = Json::object();
  for (const auto& [key, value] : values) json[key] = json_of(value);
  return json;
}

template <typename Value>
Json json_of(const std::optional<Value>& value) {
  return value ? json_of(*value) : Json();
}

template <typename Value>
Value from_json(const Json& json) {
  Value value{};
  read(json, value);
  return value;
}

}  // namespace vestige::result
