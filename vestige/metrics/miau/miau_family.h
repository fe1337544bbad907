// MIAU on evidence: attacks on four pairs of splits, the score against original and retrained, the
// graded retrains and the paper's Table 4.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

std::span<const MetricInfo> miau_metrics();
Support miau_support(const evidence::Evidence& evidence);
/// Unit::model. Options: "miau.seeds" (20 or more), "miau.weights" (three numbers), "miau.alpha",
/// "miau.features" (see attack_features.h), "miau.classifier" (see pair_attack.h).
Measurements measure_miau(const Comparison& comparison, const Request& request, Progress& progress);

}  // namespace vestige::metrics
