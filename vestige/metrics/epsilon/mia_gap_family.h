// The MIA gap of the unlearning competition: how much better a loss attack tells forget from test
// on unlearned models than on retrained ones.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

std::span<const MetricInfo> mia_gap_metrics();
Support mia_gap_support(const evidence::Evidence& evidence);
/// Unit::group: the attack's accuracy is averaged over all models of a group.
Measurements measure_mia_gap(const Comparison& comparison, const Request& request,
                             Progress& progress);

}  // namespace vestige::metrics
