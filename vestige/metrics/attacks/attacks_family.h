// The shadow-model attacks under the ids `mia.*`: LiRA, RMIA, EMIA, Update, UnLeak, the loss attack
// and a random baseline, on the same evidence and with the same rows as IAM.
#pragma once

#include <span>

#include "vestige/metrics/family.h"

namespace vestige::metrics {

std::span<const MetricInfo> attack_metrics();
Support attack_support(const evidence::Evidence& evidence);
/// Option: iam.shadows (docs/metrics/attacks.md).
Measurements measure_attacks(const Comparison& comparison, const Request& request,
                             Progress& progress);

}  // namespace vestige::metrics
