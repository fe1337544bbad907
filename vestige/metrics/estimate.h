// A value with its interval: what pure functions return.
#pragma once

#include "vestige/result/estimate.h"

namespace vestige::metrics {

using result::Estimate;
using result::kUndefined;

}  // namespace vestige::metrics
