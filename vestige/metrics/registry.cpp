// Every metric family, in the order of the report. Adding a metric adds one line here.
#include <array>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/metrics/conformal_family.h"
#include "vestige/metrics/epsilon_family.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/utility.h"

namespace vestige::metrics {

std::span<const Family> families() {
  static const std::vector<Family> table = {
      {"utility", "accuracy kept, and its distance to retrained", utility_metrics(), Unit::group,
       utility_support, measure_utility},
      {"epsilon", "how distinguishable unlearned models are from retrained ones, row by row",
       epsilon_metrics(), Unit::pool, epsilon_support, measure_epsilon},
      {"conformal", "is the true label of forget rows still in the prediction set",
       conformal_metrics(), Unit::model, conformal_support, measure_conformal},
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
