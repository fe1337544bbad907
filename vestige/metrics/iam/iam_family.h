// The family `iam`: membership scores of forget and retain rows between shadow models and the
// original (online), or the shadows' own training rows (offline).
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family iam_family();

/// What it says about itself.
std::vector<MetricInfo> iam_metrics();
std::vector<SeriesInfo> iam_series();

}  // namespace vestige::metrics
