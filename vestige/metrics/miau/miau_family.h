// MIAU on evidence: attacks on four pairs of splits, the score against original and retrained, the
// graded retrains and the paper's Table 4.
#pragma once

#include <optional>

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family miau_family();

/// What it says about itself.
std::vector<MetricInfo> miau_metrics();
std::vector<SeriesInfo> miau_series();
Support miau_support(const evidence::Evidence& evidence);
/// With default features the outputs of a model, else its maps.
Reason miau_too_large(const evidence::Evidence& evidence, const Json& options,
                      const Context& context);
std::optional<Cost> miau_cost(const evidence::Evidence& evidence, const Json& options);
Reason miau_impossible(const Planned& planned);

}  // namespace vestige::metrics
