// Conformance cases of the epsilon framework: dm_epsilon, dm_forget_score and dm_logit_scaling.
#pragma once

#include <vector>

#include "vestige/audit/conformance/conformance.h"

namespace vestige::audit {

std::vector<ConformanceRunner> epsilon_runners();

}  // namespace vestige::audit
