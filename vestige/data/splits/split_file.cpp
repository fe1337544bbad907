// A split on disk: JSON with one line per part, checked on the way back.
#include <algorithm>
#include <iterator>
#include <span>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/nesting.h"
#include "vestige/base/sha256.h"
#include "vestige/data/splits/draw.h"
#include "vestige/data/splits/split.h"

namespace vestige::data {
namespace {

constexpr int kSchema = 1;

/// A whole number, or Json::exception; get() alone would turn 1e30 into anything.
std::int64_t whole(const Json& value) {
  return value.is_number_integer() ? value.get<std::int64_t>() : Json().get<std::int64_t>();
}

/// Why the parts are not a split; empty if they are one.
std::string problem(const std::map<std::string, Rows>& parts) {
  std::vector<std::string> apart;  // parts that share no row
  for (const auto& [name, rows] : parts) {
    if (rows.empty() || rows.front() < 0) return name + " is empty or has a negative row";
    const auto repeated = std::adjacent_find(rows.begin(), rows.end(), std::greater_equal<>());
    if (repeated != rows.end()) return name + " does not ascend";
    if (name != "forget" && name != "retain") apart.push_back(name);
  }
  if (parts.count("train") == 0 || parts.count("retain") == 0) return "train or retain is missing";
  for (std::size_t first = 0; first < apart.size(); ++first) {
    for (std::size_t second = first + 1; second < apart.size(); ++second) {
      // Canaries may be in train, but then to be forgotten, which is seen below.
      const bool inserted = apart[first] == "canary" && apart[second] == "train";
      if (inserted) continue;
      const Rows& rows = parts.at(apart[first]);
      if (without(rows, parts.at(apart[second])).size() != rows.size()) {
        return apart[first] + " and " + apart[second] + " share rows";
      }
    }
  }
  Rows together = parts.at("retain");
  if (const auto canary = parts.find("canary"); canary != parts.end()) {
    if (without(together, canary->second).size() != together.size()) {
      return "canary and retain share rows";
    }
  }
  if (const auto forget = parts.find("forget"); forget != parts.end()) {
    together.insert(together.end(), forget->second.begin(), forget->second.end());
    std::sort(together.begin(), together.end());
  }
  return together == parts.at("train") ? "" : "forget and retain are not train";
}

}  // namespace

const std::vector<std::int64_t>& Split::part(const std::string& name) const {
  const auto found = parts.find(name);
  if (found != parts.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [each, rows] : parts) names.push_back(each);
  fail("the split has no {} part, only {}: ask for it in [{}]", name, fmt::join(names, ", "),
       name == "forget" ? "forget" : "split");
}

std::string split_hash(const Split& split) {
  // nlohmann::json sorts its keys, so that the order of asking for options does not matter.
  const nlohmann::json canonical = {{"options", nlohmann::json(split.options)},
                                    {"parts", split.parts}};
  const std::string text = canonical.dump();
  return sha256(std::as_bytes(std::span(text)));
}

void write_split(const Split& split, const std::filesystem::path& path) {
  std::string parts;
  for (const auto& [name, rows] : split.parts) {
    parts +=
        fmt::format("{}\n{}: {}", parts.empty() ? "" : ",", Json(name).dump(), Json(rows).dump());
  }
  write_file(path, fmt::format("{{\"schema\": {},\n\"sha256\": \"{}\",\n\"options\": {},\n"
                               "\"parts\": {{{}}}}}\n",
                               kSchema, split.sha256, split.options.dump(), parts));
}

Split read_split(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  Split split;
  std::int64_t schema = 0;
  try {
    require(!json_too_deep(text), "{} is nested too deeply: it is no split file", path.string());
    const Json json = Json::parse(text);
    schema = whole(json.at("schema"));
    if (schema == kSchema) {
      split.sha256 = json.at("sha256").get<std::string>();
      split.options = json.at("options");
      for (const auto& [name, rows] : json.at("parts").get_ref<const Json::object_t&>()) {
        for (const Json& row : rows.get_ref<const Json::array_t&>()) {
          split.parts[name].push_back(whole(row));
        }
      }
    }
  } catch (const Json::exception&) {
    fail("{} is not a split or is damaged: make it again with vestige split", path.string());
  }
  require(schema == kSchema, "{} is a split of schema {}, this program reads {}: make it again",
          path.string(), schema, kSchema);
  require(split_hash(split) == split.sha256,
          "{} was changed after it was made (its hash differs): make it again with vestige split",
          path.string());
  const std::string why = problem(split.parts);
  require(why.empty(), "{} is not a valid split: {}: make it again with vestige split",
          path.string(), why);
  return split;
}

}  // namespace vestige::data
