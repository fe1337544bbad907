// SMI on evidence: forget examples between retain and test examples of the same model.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family smi_family();

}  // namespace vestige::metrics
