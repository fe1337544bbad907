// --metrics.
#include "vestige/audit/selection.h"

#include <algorithm>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/metrics/nearest_metric.h"

namespace vestige::audit {
namespace {

bool selects(std::string_view asked, std::string_view id) {
  if (id == asked) return true;
  return id.size() > asked.size() && id.starts_with(asked) && id[asked.size()] == '.';
}

bool selects_some(const std::string& asked, const metrics::Family& family) {
  return family.name == asked ||
         std::any_of(family.metrics.begin(), family.metrics.end(),
                     [&asked](const metrics::MetricInfo& info) { return selects(asked, info.id); });
}

bool is_family(const std::string& name) {
  const auto all = metrics::families();
  return std::any_of(all.begin(), all.end(),
                     [&name](const metrics::Family& family) { return family.name == name; });
}

}  // namespace

Selection::Selection(std::vector<std::string> asked) : asked_(std::move(asked)) {
  const std::vector<std::string> given = asked_;
  given_ = given.size();
  for (const std::string& name : given) {
    bool found = false;
    for (const metrics::Family& family : metrics::families()) {
      found = found || family.name == name;
      for (const metrics::MetricInfo& info : family.metrics) {
        found = found || selects(name, info.id);
      }
    }
    const std::string now = metrics::renamed(name);
    require(found || now.empty(), "--metrics: {} is called {} now", name, now);
    require(found, "--metrics: there is no metric \"{}\"; the nearest is \"{}\"", name,
            metrics::nearest_metric(name));
    for (const metrics::Family& family : metrics::families()) {
      if (family.name != name) continue;
      asked_.insert(asked_.end(), family.companions.begin(), family.companions.end());
    }
  }
}

bool Selection::has(const metrics::Family& family, std::string_view id) const {
  if (asked_.empty()) return !family.on_request;
  return std::any_of(asked_.begin(), asked_.end(), [&](const std::string& name) {
    return name == family.name || selects(name, id);
  });
}

bool Selection::has(const metrics::Family& family) const {
  if (asked_.empty()) return !family.on_request;
  return std::any_of(asked_.begin(), asked_.end(),
                     [&](const std::string& name) { return selects_some(name, family); });
}

bool Selection::named(const metrics::Family& family) const {
  return std::any_of(asked_.begin(), asked_.begin() + static_cast<std::ptrdiff_t>(given_),
                     [&](const std::string& name) {
                       return family.name == name ||
                              (!is_family(name) && selects_some(name, family));
                     });
}

}  // namespace vestige::audit
