// The largest experiment that fits a budget of time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "vestige/experiment/estimates/estimate.h"

namespace vestige::experiment {

/// How a size of an experiment relates to a budget.
enum class CapsFit {
  too_small,  ///< so few models cannot carry the recipe's metrics
  fits,
  too_long
};

/// The largest N that fits with one repeat, then the largest E with that N, by bisection; nothing
/// if none does.
std::optional<Caps> largest_fit(std::int64_t models, std::int64_t repeats,
                                const std::function<CapsFit(const Caps&)>& look);

/// The largest N, then E, whose estimate fits. InputError if not even the smallest does.
Caps fit_budget(const std::filesystem::path& path, PlanRequest request, const std::string& device,
                double seconds, std::size_t workers, Probes& probes, const Context& context = {});

}  // namespace vestige::experiment
