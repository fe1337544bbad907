// The metric group returns: what comes back of the forget set when unlearned, retrained and
// original models go through the same recovery test (evidence below probed/).
// docs/metrics/returns.md.
#pragma once

#include "vestige/metrics/addition.h"
#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family returns_family();
/// "recovers forgotten data under int4"
Addition returns_addition();

}  // namespace vestige::metrics
