// Step-up and step-down adjustments.
#include "vestige/metrics/stats/multiple_testing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

/// Positions of the defined p-values, smallest first.
std::vector<std::size_t> ascending(std::span<const double> p_values) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p_values.size(); ++i) {
    if (std::isnan(p_values[i])) continue;
    require(p_values[i] >= 0 && p_values[i] <= 1, "p-value {} at position {} is outside [0, 1]",
            p_values[i], i);
    order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return p_values[left] < p_values[right];
  });
  return order;
}

}  // namespace

std::vector<double> benjamini_hochberg(std::span<const double> p_values) {
  std::vector<double> adjusted(p_values.begin(), p_values.end());
  const std::vector<std::size_t> order = ascending(p_values);
  const auto tests = static_cast<double>(order.size());
  double smallest = 1;
  for (std::size_t rank = order.size(); rank > 0; --rank) {
    const std::size_t i = order[rank - 1];
    smallest = std::min(smallest, p_values[i] * tests / static_cast<double>(rank));
    adjusted[i] = smallest;
  }
  return adjusted;
}

std::vector<double> holm(std::span<const double> p_values) {
  std::vector<double> adjusted(p_values.begin(), p_values.end());
  const std::vector<std::size_t> order = ascending(p_values);
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const std::size_t i = order[rank];
    largest = std::max(largest, p_values[i] * static_cast<double>(order.size() - rank));
    adjusted[i] = std::min(1.0, largest);
  }
  return adjusted;
}

}  // namespace vestige::metrics
