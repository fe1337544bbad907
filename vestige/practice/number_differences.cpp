// Two results, field by field.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "vestige/practice/verify.h"

namespace vestige::practice {
namespace {

constexpr double kRelative = 1e-9, kAbsolute = 1e-12;

/// How, when, where and by which build results were made, and what was done with them: not what was
/// measured.
const std::set<std::string>& circumstances() {
  static const std::set<std::string> paths = {"/tool", "/run/command", "/run/started",
                                              "/run/seconds", "/run/threads", "/run/title",
                                              "/evidence/path", "/gate",
                                              // Measured again with what is stated; older results
                                              // state nothing.
                                              "/run/selection/memory"};
  return paths;
}

std::string text_of_field(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= 80 ? text : text.substr(0, 77) + "...";
}

void walk(const Json& stored, const Json& fresh, const std::string& path,
          NumberDifferences& found) {
  if (circumstances().count(path) > 0) return;
  if (stored.is_object() && fresh.is_object()) {
    for (const auto& [key, value] : stored.items()) {
      const auto other = fresh.find(key);
      walk(value, other == fresh.end() ? Json() : *other, path + "/" + key, found);
    }
    for (const auto& [key, value] : fresh.items()) {
      if (!stored.contains(key)) walk(Json(), value, path + "/" + key, found);
    }
    return;
  }
  if (stored.is_array() && fresh.is_array() && stored.size() == fresh.size()) {
    for (std::size_t place = 0; place < stored.size(); ++place) {
      walk(stored[place], fresh[place], fmt::format("{}/{}", path, place), found);
    }
    return;
  }
  if (stored == fresh) {
    ++found.equal;
    return;
  }
  if (stored.is_number() && fresh.is_number()) {
    const double left = stored.get<double>(), right = fresh.get<double>();
    const double larger = std::max(std::abs(left), std::abs(right));
    if (std::abs(left - right) <= std::max(kAbsolute, kRelative * larger)) {
      ++found.nearly;
      return;
    }
  }
  found.different.push_back(
      fmt::format("{}: {} -> {}", path, text_of_field(stored), text_of_field(fresh)));
}

}  // namespace

NumberDifferences differences_between(const Json& stored, const Json& fresh) {
  NumberDifferences found;
  walk(stored, fresh, "", found);
  return found;
}

}  // namespace vestige::practice
