// The MIA gap of the unlearning competition: how much better a loss attack tells forget from test
// on unlearned models than on retrained ones.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family mia_gap_family();

}  // namespace vestige::metrics
