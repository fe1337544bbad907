// The families sde, mmd and wasserstein: the same sets of rows, judged in three ways.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family sde_family();
Family mmd_family();
Family wasserstein_family();

/// What sde says about itself.
std::vector<MetricInfo> sde_metrics();
std::vector<SeriesInfo> sde_series();

}  // namespace vestige::metrics
