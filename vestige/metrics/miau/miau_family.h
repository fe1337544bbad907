// MIAU on evidence: attacks on four pairs of splits, the score against original and retrained, the
// graded retrains and the paper's Table 4.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family miau_family();

/// What it says about itself.
std::vector<MetricInfo> miau_metrics();
std::vector<SeriesInfo> miau_series();
Support miau_support(const evidence::Evidence& evidence);
std::string miau_impossible(const Planned& planned);

}  // namespace vestige::metrics
