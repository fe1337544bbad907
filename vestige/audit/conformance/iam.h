// Conformance runners of IAM and the attack family.
#pragma once

#include <vector>

#include "vestige/audit/conformance/conformance.h"

namespace vestige::audit {

/// iam, lira_iam, lira_tf, rmia_iam, rmia_privacy_meter, emia, unleak_features.
std::vector<ConformanceRunner> iam_runners();

}  // namespace vestige::audit
