// SMI on evidence: forget rows between retain and test rows of the same model.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family smi_family();

}  // namespace vestige::metrics
