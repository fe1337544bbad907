// Conformance runners of SDE's building blocks: hsic_sde, jsd, jsd_vectors.
#pragma once

#include <vector>

#include "vestige/audit/conformance/conformance.h"

namespace vestige::audit {

std::vector<ConformanceRunner> sde_runners();

}  // namespace vestige::audit
