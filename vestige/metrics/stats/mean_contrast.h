// Means over rows that several models answered, compared by rows and models as gaps are.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "vestige/metrics/stats/contrast.h"

namespace vestige::metrics {

/// The mean over `rows` rows of `models` models as a contrast with nothing on the other side, so
/// that gap_difference() compares two groups by rows and models. values(model) gives one number per
/// row and is asked for twice, so that no matrix of all models is held.
Contrast mean_contrast(std::size_t models, std::size_t rows,
                       const std::function<std::vector<double>(std::size_t model)>& values);

}  // namespace vestige::metrics
