// Entropy of predictions: how undecided a model is about forgotten and about unseen examples.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family entropy_family();

}  // namespace vestige::metrics
