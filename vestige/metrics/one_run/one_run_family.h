// The one-run bound on evidence: split `canary`, with the membership vector of the original.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family one_run_family();

}  // namespace vestige::metrics
