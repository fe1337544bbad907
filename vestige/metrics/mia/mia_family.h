// Membership attacks of published unlearning code on evidence: entropy and confidence.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family mia_family();

}  // namespace vestige::metrics
