// One comparison measured by a family, as the audit would if it were the only one.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

inline Measurements measured(const Family& family, const Comparison& comparison,
                             const Request& request = {}) {
  Progress progress(ProgressStyle::quiet, "test", 1);
  return family.prepare({*comparison.evidence, request, {&comparison, 1}})(comparison, progress);
}

}  // namespace vestige::metrics
