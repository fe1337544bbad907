// The order of many numbers, by their bits instead of by comparisons.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vestige::metrics {

/// Places of the values from the smallest to the largest, equal ones in the order in which they
/// stand (-0 before 0). There must be no NaN.
std::vector<std::size_t> ascending_order(std::span<const double> values);

}  // namespace vestige::metrics
