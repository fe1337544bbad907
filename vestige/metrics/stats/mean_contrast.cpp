// Means as contrasts.
#include "vestige/metrics/stats/mean_contrast.h"

#include <cassert>
#include <memory>

#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {

Contrast mean_contrast(std::size_t models, std::size_t rows,
                       const std::function<std::vector<double>(std::size_t model)>& values) {
  assert(models > 0 && rows > 1);
  Contrast made;
  made.strata = std::make_shared<Strata>(one_stratum(rows, 2));
  made.unseen = {0, 0};
  made.target.resize(rows);
  for (std::size_t model = 0; model < models; ++model) {
    const std::vector<double> own = values(model);
    assert(own.size() == rows);
    for (std::size_t row = 0; row < rows; ++row) made.target[row] += own[row];
    made.by_model.push_back(mean(own));
  }
  for (double& value : made.target) value /= static_cast<double>(models);
  if (models < 2) return made;
  made.interaction = 0;
  for (std::size_t model = 0; model < models; ++model) {
    std::vector<double> off = values(model);
    for (std::size_t row = 0; row < rows; ++row) off[row] -= made.target[row];
    made.interaction += variance(off) / static_cast<double>(rows);
  }
  made.interaction /= static_cast<double>(models - 1);
  return made;
}

}  // namespace vestige::metrics
