// The family `iam`: membership scores of forget and retain rows between shadow models and the
// original (online), or the shadows' own training rows (offline).
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family iam_family();

}  // namespace vestige::metrics
