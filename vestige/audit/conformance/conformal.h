// Conformance runners of the conformal metrics.
#pragma once

#include <vector>

#include "vestige/audit/conformance/conformance.h"

namespace vestige::audit {

/// Runners for the cases `conformal`, `conformal_quantile` and `miacr`.
std::vector<ConformanceRunner> conformal_runners();

}  // namespace vestige::audit
