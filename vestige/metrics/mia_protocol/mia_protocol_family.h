// The plain membership-inference protocol (IAM paper, D.4) on the evidence's membership models.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family mia_protocol_family();

}  // namespace vestige::metrics
