// Verification models ("proof of ignorance", Ye et al. 2026): models trained on a small part of the
// retain set take the place of retrained models.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family verification_family();

}  // namespace vestige::metrics
