// A value with its interval.
#pragma once

#include "vestige/result/row.h"

namespace vestige::result {

/// NaN where undefined.
struct Estimate {
  double value = kUndefined;
  double lower = kUndefined;
  double upper = kUndefined;

  static constexpr std::string_view kType = "Estimate";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("value", &Estimate::value, "the value; null where undefined");
    visit("lower", &Estimate::lower, "lower end of the 95 % interval");
    visit("upper", &Estimate::upper, "upper end of the 95 % interval");
  }
};

}  // namespace vestige::result
