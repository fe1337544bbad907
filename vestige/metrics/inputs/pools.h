// Whether there are pools of models to compare: what every metric over pools asks first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "vestige/metrics/family.h"

namespace vestige::metrics {

/// Why the candidates of a comparison cannot be set against the retrained models on a split, with
/// the remedy; empty if they can. Each side needs `fewest` models and all need the split.
std::string pool_obstacle(const Comparison& comparison, std::string_view split, std::size_t fewest);

/// The same beforehand: supported from `fewest` models a side on, with a caution below `enough`.
Support pool_support(const evidence::Evidence& evidence, std::size_t fewest, std::size_t enough,
                     std::string_view caution);

/// Why a planned experiment will not have such pools; empty if it will.
std::string pool_impossible(const Planned& planned, std::string_view what, std::int64_t fewest);

}  // namespace vestige::metrics
