// What families that read outputs row by row will take: counted rows and outputs, times what each
// of them took on one core (docs/performance.md).
#pragma once

#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "vestige/metrics/family.h"

namespace vestige::metrics {

/// Nanoseconds of one core.
struct RowWork {
  double output = 0;  ///< for each row, class and model
  double row = 0;     ///< for each row and model
};

using Roles = std::vector<std::string_view>;

/// Models that methods are compared with or are: neither shadow models nor untrained ones.
const Roles& compared_roles();
/// ... and shadow models.
const Roles& attacked_roles();

/// Of the models with these roles on these splits; nothing if none has one of them.
std::optional<Cost> row_cost(const evidence::Evidence& evidence, const Roles& roles,
                             std::initializer_list<std::string_view> splits, const RowWork& work);

/// How many models have one of these roles.
std::size_t models_of(const evidence::Evidence& evidence, const Roles& roles);

}  // namespace vestige::metrics
