// The plain membership-inference protocol (IAM paper, D.4) on the evidence's membership models.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

std::span<const MetricInfo> mia_protocol_metrics();
Support mia_protocol_support(const evidence::Evidence& evidence);

/// Unit::whole. Options: "protocol.shadows" (even numbers, each gives rows of its own; 2),
/// "protocol.targets" (the first so many models are attacked; 0: all).
Measurements measure_mia_protocol(const Comparison& comparison, const Request& request, Progress&);

}  // namespace vestige::metrics
