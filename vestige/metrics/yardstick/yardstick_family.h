// The yardstick family: how much better a model knows forget rows than rows that nobody saw. Its
// difference to the same gap of retrained models is what verdicts rest on (docs/verdicts.md).
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family yardstick_family();

}  // namespace vestige::metrics
