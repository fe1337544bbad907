// Every metric family, in the order of the report. Adding a metric adds one line here.
#include <array>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/sde_family.h"
#include "vestige/metrics/utility.h"

namespace vestige::metrics {

std::span<const Family> families() {
  static const std::vector<Family> table = {
      {"utility", "accuracy kept, and its distance to retrained", utility_metrics(), Unit::group,
       utility_support, measure_utility},
      {"sde", "split-half dependence: do forget sets look trained on?", sde_metrics(), Unit::model,
       sde_support, measure_sde},
      {"mmd", "forget sets nearer to retain or to test by MMD", mmd_metrics(), Unit::model,
       mmd_support, measure_mmd},
      {"wasserstein", "forget sets nearer to retain or to test by sliced Wasserstein distance",
       wasserstein_metrics(), Unit::model, wasserstein_support, measure_wasserstein},
  };
  return table;
}

const MetricInfo* find_metric(std::string_view id) {
  for (const Family& family : families()) {
    for (const MetricInfo& info : family.ids) {
      if (info.id == id) return &info;
    }
  }
  return nullptr;
}

Row make_row(std::string_view id, const Comparison& comparison, const Request& request) {
  const MetricInfo* info = find_metric(id);
  assert(info != nullptr && "every id that a family produces is in its list");
  Row row;
  row.metric = id;
  row.model = comparison.model;
  row.direction = info->direction;
  row.ideal = info->ideal;
  row.control = comparison.control;
  row.seed = request.seed;
  return row;
}

}  // namespace vestige::metrics
