// MIAU on evidence: attacks on four pairs of splits, the score against original and retrained, the
// graded retrains and the paper's Table 4.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family miau_family();

}  // namespace vestige::metrics
