// The family `iam`: membership scores of forget and retain rows between shadow models and the
// original (online), or the shadows' own training rows (offline).
#pragma once

#include <span>

#include "vestige/metrics/family.h"

namespace vestige::metrics {

std::span<const MetricInfo> iam_metrics();
Support iam_support(const evidence::Evidence& evidence);
/// Options: iam.shadows, iam.levels, iam.epsilon1, iam.epsilon2, iam.variance, iam.score,
/// iam.delta1, iam.delta2_constant (docs/metrics/iam.md).
Measurements measure_iam(const Comparison& comparison, const Request& request, Progress& progress);

}  // namespace vestige::metrics
