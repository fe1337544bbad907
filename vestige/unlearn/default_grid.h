// What to try when a method is tuned and nobody has said what: points around its paper's value.
// Every method has the same number, so that none is tuned harder than another. No LibTorch.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/train/recipe.h"
#include "vestige/unlearn/registry.h"

namespace vestige::unlearn {

/// Points of a whole grid.
inline constexpr std::size_t kGridPoints = 9;

/// The first `points` (at most kGridPoints) of a method's grid: its default first, then the others
/// along one option, then along the second, then the corners. Empty for controls, retraining and
/// external programs, which nothing is known about.
std::vector<Json> default_grid(const MethodInfo& method, std::size_t points = kGridPoints);

/// What a method needs and the recipe lacks ("a validation part in the split"); empty if nothing.
std::string missing_need(const std::string& method, const train::Recipe& recipe);

}  // namespace vestige::unlearn
