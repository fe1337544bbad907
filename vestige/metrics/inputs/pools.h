// Whether there are pools of models to compare: what every metric over pools asks first.
#pragma once

#include <cstddef>
#include <string_view>

#include "vestige/metrics/family.h"

namespace vestige::metrics {

/// Why the candidates of a comparison cannot be compared with the retrained models on a split;
/// empty if they can. Each group needs `fewest` models, and all models need the split.
Reason pool_obstacle(const Comparison& comparison, std::string_view split, std::size_t fewest);

/// The same for the evidence: supported from `fewest` models per group on. Below `enough` the
/// caution is given, a code with the arguments models:count and enough:count.
Support pool_support(const evidence::Evidence& evidence, std::size_t fewest, std::size_t enough,
                     Code caution);

/// Why a planned experiment will not have such groups; empty if it will.
Reason pool_impossible(const Planned& planned, std::string_view group, std::int64_t fewest);

}  // namespace vestige::metrics
