// A value with its interval: what pure functions return.
#pragma once

#include <limits>

namespace vestige::metrics {

inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

/// A value with its interval; NaN where undefined.
struct Estimate {
  double value = kUndefined;
  double lower = kUndefined;
  double upper = kUndefined;
};

}  // namespace vestige::metrics
