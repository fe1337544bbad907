// One pass over the template: what was inserted is not looked at again.
#include "vestige/base/json_template.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

namespace vestige {
namespace {

/// The name in the placeholder that begins at `open`; empty where this is only a brace.
std::string_view name_at(std::string_view text, std::size_t open) {
  const std::size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", open + 1);
  const bool closed = end != text.npos && (text[end] == '}' || text.substr(end, 2) == "?}");
  return closed ? text.substr(open + 1, end - open - 1) : std::string_view{};
}

Json value_named(std::string_view name, const Filling& filling) {
  const std::string key(name);
  if (filling.values.contains(key)) return filling.values[key];
  if (filling.words.contains(key)) return fill(filling.words[key], filling);
  std::string known;
  for (const Json* table : {&filling.values, &filling.words}) {
    for (const auto& [own, value] : table->items()) known += (known.empty() ? "" : ", ") + own;
  }
  throw std::logic_error(fmt::format("{}: the placeholder {{{}}} has no value; known names are: {}",
                                     filling.where, name, known));
}

std::string text_of_value(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? fmt::format("{}", value.get<double>()) : value.dump();
}

Json fill_text(std::string_view text, const Filling& filling) {
  std::string filled;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    filled += text.substr(0, open);
    if (open == text.npos) break;
    const std::string_view name = name_at(text, open);
    const std::size_t length =
        name.empty() ? 1 : name.size() + (text[open + 1 + name.size()] == '?' ? 3 : 2);
    if (name.empty()) {
      filled += '{';
    } else if (filled.empty() && length == text.size()) {
      return value_named(name, filling);
    } else {
      filled += text_of_value(value_named(name, filling));
    }
    text.remove_prefix(open + length);
  }
  return filled;
}

}  // namespace

Json fill(const Json& pattern, const Filling& filling) {
  if (pattern.is_string()) return fill_text(pattern.get_ref<const std::string&>(), filling);
  if (!pattern.is_structured()) return pattern;
  Json filled = pattern.is_array() ? Json::array() : Json::object();
  for (const auto& [key, part] : pattern.items()) {
    Json value = fill(part, filling);
    const bool optional = part.is_string() && part.get_ref<const std::string&>().ends_with("?}");
    if (optional && value.is_null()) continue;
    if (pattern.is_array()) {
      filled.push_back(std::move(value));
    } else {
      filled[key] = std::move(value);
    }
  }
  return filled;
}

}  // namespace vestige
