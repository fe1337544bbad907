// KLoM on evidence: pools of unlearned and retrained models on the same rows.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family klom_family();

}  // namespace vestige::metrics
