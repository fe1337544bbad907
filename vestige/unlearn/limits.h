// Options of methods with a lowest value.
#pragma once

#include <fmt/format.h>

#include "vestige/base/options.h"

namespace vestige::unlearn {

inline double number_from(Options& options, std::string_view key, double fallback, double lowest) {
  const double value = options.number(key, fallback);
  if (!(value >= lowest)) options.wrong(key, fmt::format("it must be at least {:g}", lowest));
  return value;
}

inline std::int64_t integer_from(Options& options, std::string_view key, std::int64_t fallback,
                                 std::int64_t lowest) {
  const std::int64_t value = options.integer(key, fallback);
  if (value < lowest) options.wrong(key, fmt::format("it must be at least {}", lowest));
  return value;
}

/// A share strictly between 0 and 1.
inline double share(Options& options, std::string_view key, double fallback) {
  const double value = options.number(key, fallback);
  if (!(value > 0 && value < 1)) options.wrong(key, "it must lie between 0 and 1");
  return value;
}

}  // namespace vestige::unlearn
