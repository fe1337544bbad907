// Counting rows.
#include "vestige/metrics/inputs/row_cost.h"

#include <algorithm>

namespace vestige::metrics {
namespace {

bool is_one_of(const std::string& role, const Roles& roles) {
  return std::find(roles.begin(), roles.end(), role) != roles.end();
}

}  // namespace

const Roles& compared_roles() {
  static const Roles roles = {"original", "retrained", "unlearned", "partial"};
  return roles;
}

const Roles& attacked_roles() {
  static const Roles roles = {"original", "retrained", "unlearned", "partial", "shadow"};
  return roles;
}

std::optional<Cost> row_cost(const evidence::Evidence& evidence, const Roles& roles,
                             std::initializer_list<std::string_view> splits, const RowWork& work) {
  double nanoseconds = 0;
  std::size_t models = 0, most = 0, columns = 0;
  for (const evidence::Group& group : evidence.groups) {
    if (!is_one_of(group.role, roles)) continue;
    for (const evidence::Model& model : group.models) {
      std::size_t rows = 0;
      for (const std::string_view split : splits) {
        const auto found = model.outputs.find(std::string(split));
        if (found == model.outputs.end()) continue;
        rows += found->second.rows();
        columns = std::max(columns, found->second.cols());
        nanoseconds += static_cast<double>(found->second.rows()) *
                       (work.row + work.output * static_cast<double>(found->second.cols()));
      }
      models += rows > 0 ? 1 : 0;
      most = std::max(most, rows);
    }
  }
  if (models == 0) return std::nullopt;
  Cost cost;
  cost.seconds = 1e-9 * nanoseconds;
  cost.work = reason(Code::work_of_models, models, most, columns);
  return cost;
}

std::size_t models_of(const evidence::Evidence& evidence, const Roles& roles) {
  std::size_t count = 0;
  for (const evidence::Group& group : evidence.groups) {
    if (is_one_of(group.role, roles)) count += group.models.size();
  }
  return count;
}

}  // namespace vestige::metrics
