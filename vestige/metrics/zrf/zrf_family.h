// ZRF on evidence: forget examples, compared with untrained models (role `random`).
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family zrf_family();

}  // namespace vestige::metrics
