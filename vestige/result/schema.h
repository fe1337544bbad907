// The fields of results.json as a document, from the same lists as the codec.
#pragma once

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/result/codec.h"

namespace vestige::result {

struct FieldInfo {
  std::string name;
  std::string type;  ///< "number", "list of Row", "one of: shown, excluded"
  std::string text;
};

struct StructInfo {
  std::string name;
  std::vector<FieldInfo> fields;
};

/// Collects structs and those that they hold, each once, in the order in which they come.
class Schema {
 public:
  template <Listed Struct>
  Schema& add() {
    const std::string name(Struct::kType);
    for (const StructInfo& known : structs_) {
      if (known.name == name) return *this;
    }
    const std::size_t place = structs_.size();
    structs_.push_back({name, {}});
    add_fields<Struct>(place);
    return *this;
  }

  const std::vector<StructInfo>& structs() const { return structs_; }

 private:
  /// Those of members without a key stand in the object itself.
  template <Listed Struct>
  void add_fields(std::size_t place) {
    Struct::fields([&](const char* key, auto member, const char* text) {
      using Value = std::decay_t<decltype(std::declval<Struct>().*member)>;
      if constexpr (Listed<Value>) {
        if (std::string_view(key) == kInline) return add_fields<Value>(place);
      }
      std::string type = type_of(static_cast<const Value*>(nullptr));
      structs_[place].fields.push_back({key, std::move(type), text});
    });
  }

  static std::string type_of(const double*) { return "number or null"; }
  static std::string type_of(const bool*) { return "true or false"; }
  static std::string type_of(const char*) { return "letter"; }
  static std::string type_of(const std::string*) { return "text"; }
  static std::string type_of(const Json*) { return "object"; }
  static std::string type_of(const Reason*) { return "reason"; }
  static std::string type_of(const std::vector<std::pair<std::string, std::vector<double>>>*) {
    return "object of lists of numbers";
  }
  template <typename Integer>
  requires std::is_integral_v<Integer>
  static std::string type_of(const Integer*) { return "whole number"; }
  template <Named Enumeration>
  static std::string type_of(const Enumeration*) {
    std::string words;
    for (const auto& [value, word] : Names<Enumeration>::list) {
      words += fmt::format("{}`{}`", words.empty() ? "" : ", ", word.empty() ? "\"\"" : word);
    }
    return words;
  }
  template <Listed Struct>
  std::string type_of(const Struct*) {
    add<Struct>();
    return std::string(Struct::kType);
  }
  template <typename Value>
  std::string type_of(const std::vector<Value>*) {
    return "list of " + type_of(static_cast<const Value*>(nullptr));
  }
  template <typename Value>
  std::string type_of(const std::map<std::string, Value>*) {
    return "object of " + type_of(static_cast<const Value*>(nullptr));
  }
  template <typename Value>
  std::string type_of(const std::optional<Value>*) {
    return type_of(static_cast<const Value*>(nullptr)) + " or null";
  }

  std::vector<StructInfo> structs_;
};

/// A table per struct, and every reason with its arguments.
std::string schema_markdown(const Schema& schema);

}  // namespace vestige::result
