// ZRF on evidence: forget rows against models that were never trained (role `random`).
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family zrf_family();

}  // namespace vestige::metrics
