// Options that must lie within limits.
#pragma once

#include <cstdint>
#include <string_view>

#include "vestige/base/options.h"

namespace vestige::unlearn {

/// A number that is `lowest` or more.
double number_from(Options& options, std::string_view key, double fallback, double lowest);
std::int64_t integer_from(Options& options, std::string_view key, std::int64_t fallback,
                          std::int64_t lowest);

/// A share strictly between 0 and 1.
double share(Options& options, std::string_view key, double fallback);

/// A number between 0 and 1, both allowed.
double read_share(Options& options, std::string_view key, double fallback);

/// A finite number that is 0 or more.
double read_not_negative(Options& options, std::string_view key, double fallback);

/// A finite number above 0.
double read_positive(Options& options, std::string_view key, double fallback);

}  // namespace vestige::unlearn
