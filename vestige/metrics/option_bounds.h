// Bounds of options that cost time or memory: `verify` runs an audit with options that a stranger
// chose. SECURITY.md lists them.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <string>

#include "vestige/base/json.h"

namespace vestige::metrics {

/// From `least` to `most`, both included.
inline std::function<std::string(const Json&)> within(double least, double most) {
  return [least, most](const Json& value) {
    const auto number = value.get<double>();
    return number >= least && number <= most
               ? ""
               : fmt::format("it must lie between {:.0f} and {:.0f}", least, most);
  };
}

}  // namespace vestige::metrics
