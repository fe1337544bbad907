// Terms that are looked at by controls and verdicts.
#include "vestige/audit/verdicts/kept_terms.h"

#include <cmath>
#include <vector>

#include "vestige/audit/controls.h"
#include "vestige/metrics/family.h"

namespace vestige::audit {
namespace {

bool looked_at(const metrics::Row& row) {
  const metrics::MetricInfo* info = metrics::find_metric(row.metric);
  if (info == nullptr || row.control == metrics::Control::constant) return false;
  return info->shows_forgetting || info->speech || !info->utility_of.empty();
}

}  // namespace

void KeptTerms::trim(metrics::Row& row) {
  if (row.terms.empty()) return;
  bool kept = false;
  if (looked_at(row)) {
    const auto [place, first] =
        seen_.try_emplace({row.metric, setting(row), row.subject.group().id()}, false);
    kept = first || !place->second;
    place->second = place->second || !std::isnan(row.value);
  }
  if (!kept) std::vector<double>().swap(row.terms);
}

}  // namespace vestige::audit
