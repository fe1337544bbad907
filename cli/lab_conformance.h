// Conformance runners of the unlearning methods' arithmetic, where the lab is built.
#pragma once

#include <vector>

#include "vestige/audit/conformance.h"

namespace vestige::cli {

/// ssd_dampen, sfron_mask, sfron_adaptive_loss.
std::vector<audit::ConformanceRunner> lab_runners();

}  // namespace vestige::cli
