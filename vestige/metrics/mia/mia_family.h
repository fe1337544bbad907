// Membership attacks of published unlearning code on evidence: entropy and confidence.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

std::span<const MetricInfo> mia_metrics();
Support mia_support(const evidence::Evidence& evidence);
/// Unit::model.
Measurements measure_mia(const Comparison& comparison, const Request& request, Progress& progress);

}  // namespace vestige::metrics
