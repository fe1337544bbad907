// Options that must lie within limits.
#include "vestige/unlearn/parts/limits.h"

#include <fmt/format.h>

#include <cmath>

namespace vestige::unlearn {

double number_from(Options& options, std::string_view key, double fallback, double lowest) {
  const double value = options.number(key, fallback);
  if (!(value >= lowest)) options.wrong(key, fmt::format("it must be at least {:g}", lowest));
  return value;
}

std::int64_t integer_from(Options& options, std::string_view key, std::int64_t fallback,
                          std::int64_t lowest) {
  const std::int64_t value = options.integer(key, fallback);
  if (value < lowest) options.wrong(key, fmt::format("it must be at least {}", lowest));
  return value;
}

double share(Options& options, std::string_view key, double fallback) {
  const double value = options.number(key, fallback);
  if (!(value > 0 && value < 1)) options.wrong(key, "it must lie between 0 and 1");
  return value;
}

double read_share(Options& options, std::string_view key, double fallback) {
  const double value = options.number(key, fallback);
  if (!(value >= 0 && value <= 1)) {
    options.wrong(key, fmt::format("{} is not a share: it must be between 0 and 1", value));
  }
  return value;
}

double read_not_negative(Options& options, std::string_view key, double fallback) {
  const double value = options.number(key, fallback);
  if (!(value >= 0) || !std::isfinite(value)) {
    options.wrong(key, fmt::format("{}: it must not be negative", value));
  }
  return value;
}

double read_positive(Options& options, std::string_view key, double fallback) {
  const double value = options.number(key, fallback);
  if (!(value > 0) || !std::isfinite(value)) {
    options.wrong(key, fmt::format("{}: it must be above 0", value));
  }
  return value;
}

}  // namespace vestige::unlearn
