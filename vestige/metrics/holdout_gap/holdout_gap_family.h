// The gap to unseen examples: how much better a model knows forget than unseen examples. Verdicts
// compare it with the retrained models' gap (docs/concepts/verdicts.md).
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family holdout_gap_family();

}  // namespace vestige::metrics
