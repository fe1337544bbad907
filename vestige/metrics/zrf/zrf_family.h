// ZRF on evidence: forget rows against models that were never trained (role `random`).
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

std::span<const MetricInfo> zrf_metrics();
Support zrf_support(const evidence::Evidence& evidence);
/// Unit::model.
Measurements measure_zrf(const Comparison& comparison, const Request& request, Progress& progress);

}  // namespace vestige::metrics
