// The epsilon family: how distinguishable a pool of models is from the retrained pool, row by row.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

/// With fewer than 64 models per group its support says what cannot be observed. Comparisons at
/// half the models give only the rows that controls need.
Family epsilon_family();

/// What it says about itself.
std::vector<MetricInfo> epsilon_metrics();
std::vector<SeriesInfo> epsilon_series();

}  // namespace vestige::metrics
