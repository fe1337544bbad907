// Verification models ("proof of ignorance", Ye et al. 2026): models trained on a small part of the
// kept rows stand in for retraining.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family verification_family();

}  // namespace vestige::metrics
