// Writing TOML.
#include "vestige/experiment/toml_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace vestige::experiment {
namespace {

/// Bare where TOML allows it, in quotes otherwise.
std::string key_text(const std::string& key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '_' || letter == '-';
  });
  return bare ? key : Json(key).dump();
}

}  // namespace

std::string toml_value(const Json& value) {
  if (value.is_object()) {
    std::string text;
    for (const auto& [key, own] : value.items()) {
      if (own.is_null()) continue;
      text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", key_text(key), toml_value(own));
    }
    return text.empty() ? "{}" : "{ " + text + " }";
  }
  if (value.is_array()) {
    std::string text;
    for (const Json& own : value) text += (text.empty() ? "" : ", ") + toml_value(own);
    return "[" + text + "]";
  }
  // JSON's numbers, truth values and texts are TOML's too, but for the letter DEL.
  std::string text = value.dump();
  for (std::size_t at = 0; (at = text.find('\x7f', at)) != std::string::npos;) {
    text.replace(at, 1, "\\u007f");
  }
  return text;
}

std::string methods_toml(const Json& methods) {
  std::string text = "methods = [\n";
  for (const Json& entry : methods) text += "  " + toml_value(entry) + ",\n";
  return text + "]\n";
}

}  // namespace vestige::experiment
