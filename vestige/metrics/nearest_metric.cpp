// Matching names part by part.
#include "vestige/metrics/nearest_metric.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "vestige/base/text.h"
#include "vestige/metrics/family.h"

namespace vestige::metrics {
namespace {

std::vector<std::string_view> dotted_parts(std::string_view name) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t dot = name.find('.');
    parts.push_back(name.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    name.remove_prefix(dot + 1);
  }
}

/// How many parts of `id` it takes to find all parts of `wanted` in it, in their order; 0 if they
/// are not there.
std::size_t parts_needed(const std::vector<std::string_view>& wanted,
                         const std::vector<std::string_view>& id) {
  std::size_t found = 0;
  for (std::size_t place = 0; place < id.size(); ++place) {
    if (id[place] == wanted[found]) ++found;
    if (found == wanted.size()) return place + 1;
  }
  return 0;
}

std::string joined(const std::vector<std::string_view>& parts, std::size_t count) {
  std::string text;
  for (std::size_t place = 0; place < count; ++place) {
    text.append(text.empty() ? "" : ".").append(parts[place]);
  }
  return text;
}

}  // namespace

std::string nearest_metric(std::string_view name) {
  const std::vector<std::string_view> wanted = dotted_parts(name);
  std::vector<std::string> known;
  std::string best;
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const Family& family : families()) {
    known.emplace_back(family.name);
    for (const MetricInfo& info : family.metrics) {
      known.emplace_back(info.id);
      const std::vector<std::string_view> parts = dotted_parts(info.id);
      const std::size_t needed = parts_needed(wanted, parts);
      if (needed == 0 || needed >= fewest) continue;
      fewest = needed;
      best = joined(parts, needed);
    }
  }
  return best.empty() ? nearest(name, known) : best;
}

}  // namespace vestige::metrics
