// What metrics add to a verdict besides its word. metrics/registry.cpp lists them beside the
// families that declare them; audit and practice loop over that list and know no metric by name.
#pragma once

#include <span>
#include <string_view>

namespace vestige::metrics {

/// Added where the metric is shown to lie above the smallest effect: facts.p, adjusted over its
/// rows of the method (Holm), is below 5 %.
struct Addition {
  std::string_view metric;   ///< "returns.share"
  std::string_view word;     ///< for policies: "returns"
  std::string_view words;    ///< before the value of the setting: "returns under"
  std::string_view setting;  ///< of the row: "recovery_test"
  std::string_view of;       ///< what its values are shares of
};

/// Every addition, in the order of the families.
std::span<const Addition> additions();

/// The metric's, nullptr if it adds nothing.
const Addition* find_addition(std::string_view metric);

}  // namespace vestige::metrics
