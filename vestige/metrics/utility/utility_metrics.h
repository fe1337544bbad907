// What the metric group utility can measure.
#pragma once

#include <vector>

#include "vestige/metrics/family.h"

namespace vestige::metrics {

std::vector<MetricInfo> utility_metrics();

}  // namespace vestige::metrics
