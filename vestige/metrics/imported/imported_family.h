// Scores of examples that another program gave: a judge, a fluency model, anything.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

/// Metric group `imported`: the mean of scores/NAME/SPLIT.npy per model. No verdict rests on it.
Family imported_family();

}  // namespace vestige::metrics
