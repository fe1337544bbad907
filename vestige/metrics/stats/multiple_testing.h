// Many tests at once: adjusted p-values. NaN entries stay NaN and do not count as tests.
#pragma once

#include <span>
#include <vector>

namespace vestige::metrics {

/// Adjusted p-values of Benjamini and Hochberg (1995), in the order given: rejecting where they are
/// at most q keeps the expected share of false rejections below q for independent (or positively
/// dependent) tests.
std::vector<double> benjamini_hochberg(std::span<const double> p_values);

/// Adjusted p-values of Holm (1979), in the order given: rejecting where they are at most alpha
/// keeps the probability of any false rejection below alpha, whatever the dependence.
std::vector<double> holm(std::span<const double> p_values);

}  // namespace vestige::metrics
