// U-LiRA on evidence: pools of unlearned and retrained models on the forget set.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family ulira_family();

}  // namespace vestige::metrics
