// Strict settings over JSON, and TOML as JSON with toml++.
#include "vestige/base/options.h"

#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/nesting.h"
#include "vestige/base/text.h"

namespace vestige {
namespace {

Json to_json(const toml::node& node) {
  if (const auto* table = node.as_table()) {
    // toml++ keeps keys sorted, so that the order in the file does not matter for a hash.
    Json object = Json::object();
    for (const auto& [key, value] : *table) object[std::string(key.str())] = to_json(value);
    return object;
  }
  if (const auto* array = node.as_array()) {
    Json list = Json::array();
    for (const auto& value : *array) list.push_back(to_json(value));
    return list;
  }
  if (const auto* value = node.as_string()) return value->get();
  if (const auto* value = node.as_integer()) return value->get();
  if (const auto* value = node.as_floating_point()) return value->get();
  if (const auto* value = node.as_boolean()) return value->get();
  std::ostringstream text;
  text << toml::node_view(node);
  return text.str();
}

/// Keys and words of recipes of earlier versions, and what they are called now.
constexpr std::pair<std::string_view, std::string_view> kEarlierNames[] = {{"arm", "variant"},
                                                                           {"arms", "variants"}};

/// InputError if `word` is the earlier name of one of `known`.
void refuse_earlier_name(const std::string& where, std::string_view word,
                         const std::vector<std::string>& known) {
  for (const auto& [before, now] : kEarlierNames) {
    const bool has = std::find(known.begin(), known.end(), now) != known.end();
    require(!has || before != word, "{}: '{}' is now '{}'", where, before, now);
  }
}

const char* kind(const Json& value) { return value.type_name(); }

}  // namespace

Json parse_toml(std::string_view text, std::string_view source) {
  require(!toml_too_deep(text), "{}: a key has {} parts or more: shorten it", source,
          kMostKeyParts);
  try {
    return to_json(toml::parse(text, source));
  } catch (const toml::parse_error& error) {
    fail("{} line {}: {}: correct it there", source, error.source().begin.line,
         error.description());
  }
}

Json read_toml(const std::filesystem::path& path) {
  require(!std::filesystem::is_directory(path), "{} is a folder: give a TOML file", path.string());
  return parse_toml(read_file(path), path.string());
}

Options::Options(Json table, std::string where)
    : table_(std::move(table)), where_(std::move(where)) {
  if (table_.is_null()) table_ = Json::object();
  require(table_.is_object(), "{} is a {}: it must be a table of settings", where_, kind(table_));
}

const Json* Options::find(std::string_view key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  const auto found = table_.find(key);
  return found == table_.end() ? nullptr : &*found;
}

void Options::wrong(std::string_view key, const std::string& why) const {
  fail("{}: {}: {}", where_, key, why);
}

bool Options::has(std::string_view key) { return find(key) != nullptr; }

double Options::number(std::string_view key, double fallback) {
  const Json* value = find(key);
  if (value != nullptr && !value->is_number()) wrong(key, "it must be a number");
  const double result = value == nullptr ? fallback : value->get<double>();
  used_[std::string(key)] = result;
  return result;
}

std::int64_t Options::integer(std::string_view key, std::int64_t fallback) {
  const Json* value = find(key);
  if (value != nullptr && !value->is_number_integer()) wrong(key, "it must be a whole number");
  const std::int64_t result = value == nullptr ? fallback : value->get<std::int64_t>();
  used_[std::string(key)] = result;
  return result;
}

bool Options::boolean(std::string_view key, bool fallback) {
  const Json* value = find(key);
  if (value != nullptr && !value->is_boolean()) wrong(key, "it must be true or false");
  const bool result = value == nullptr ? fallback : value->get<bool>();
  used_[std::string(key)] = result;
  return result;
}

std::string Options::text(std::string_view key, std::string_view fallback) {
  const Json* value = find(key);
  if (value != nullptr && !value->is_string()) wrong(key, "it must be text in quotes");
  std::string result = value == nullptr ? std::string(fallback) : value->get<std::string>();
  used_[std::string(key)] = result;
  return result;
}

std::string Options::choice(std::string_view key, std::string_view fallback,
                            const std::vector<std::string>& allowed) {
  std::string result = text(key, fallback);
  if (std::find(allowed.begin(), allowed.end(), result) == allowed.end()) {
    refuse_earlier_name(where_, result, allowed);
    wrong(key, fmt::format("'{}' is not known: did you mean '{}'? Known are {}", result,
                           nearest(result, allowed), fmt::join(allowed, ", ")));
  }
  return result;
}

std::vector<double> Options::numbers(std::string_view key, std::vector<double> fallback) {
  if (const Json* value = find(key)) {
    fallback.clear();
    if (!value->is_array()) wrong(key, "it must be a list of numbers");
    for (const Json& item : *value) {
      if (!item.is_number()) wrong(key, "it must be a list of numbers");
      fallback.push_back(item.get<double>());
    }
  }
  used_[std::string(key)] = fallback;
  return fallback;
}

std::vector<std::int64_t> Options::integers(std::string_view key,
                                            std::vector<std::int64_t> fallback) {
  if (const Json* value = find(key)) {
    fallback.clear();
    if (!value->is_array()) wrong(key, "it must be a list of whole numbers");
    for (const Json& item : *value) {
      if (!item.is_number_integer()) wrong(key, "it must be a list of whole numbers");
      fallback.push_back(item.get<std::int64_t>());
    }
  }
  used_[std::string(key)] = fallback;
  return fallback;
}

std::vector<std::string> Options::texts(std::string_view key, std::vector<std::string> fallback) {
  if (const Json* value = find(key)) {
    fallback.clear();
    if (!value->is_array()) wrong(key, "it must be a list of texts");
    for (const Json& item : *value) {
      if (!item.is_string()) wrong(key, "it must be a list of texts");
      fallback.push_back(item.get<std::string>());
    }
  }
  used_[std::string(key)] = fallback;
  return fallback;
}

Options Options::table(std::string_view key) {
  const Json* value = find(key);
  const std::string name = fmt::format("{}: [{}]", where_, key);
  if (value != nullptr && !value->is_object()) wrong(key, "it must be a table");
  return Options(value == nullptr ? Json::object() : *value, name);
}

Json Options::raw(std::string_view key) {
  const Json* value = find(key);
  used_[std::string(key)] = value == nullptr ? Json() : *value;
  return value == nullptr ? Json() : *value;
}

void Options::accept(const Json& used) {
  for (const auto& [key, value] : table_.items()) find(key);
  used_ = used;
}

void Options::finish() const {
  for (const auto& [key, value] : table_.items()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    refuse_earlier_name(where_, key, known_);
    require(!known_.empty(), "{}: the key '{}' is not known: nothing can be set here", where_, key);
    fail("{}: the key '{}' is not known: did you mean '{}'?", where_, key, nearest(key, known_));
  }
}

void set_option(Json& table, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  require(equals != std::string_view::npos && equals > 0, "--set {}: write it as section.key=value",
          assignment);
  const std::string value(assignment.substr(equals + 1));
  Json parsed;
  try {
    parsed = parse_toml("value = " + value, "--set").at("value");
  } catch (const InputError&) {
    parsed = value;
  }
  Json* place = &table;
  std::string_view path = assignment.substr(0, equals);
  for (std::size_t dot; (dot = path.find('.')) != std::string_view::npos;
       path.remove_prefix(dot + 1)) {
    place = &(*place)[std::string(path.substr(0, dot))];
    require(place->is_null() || place->is_object(),
            "--set {}: '{}' is not a table in the recipe: write it as section.key=value",
            assignment, path.substr(0, dot));
  }
  (*place)[std::string(path)] = std::move(parsed);
}

}  // namespace vestige
