// The returns family: what comes back of the forgotten when unlearned, retrained and original
// models are treated alike once more (evidence below probed/). docs/metrics/returns.md.
#pragma once

#include "vestige/metrics/addition.h"
#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family returns_family();
/// "returns under int4"
Addition returns_addition();

}  // namespace vestige::metrics
