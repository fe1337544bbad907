// Every row of the results as RFC 4180 text.
#pragma once

#include <string>

#include "vestige/base/json.h"

namespace vestige::report {

/// A field, in quotes where it needs them.
std::string csv_field(const std::string& text);

/// One line per row with the fields of docs/results.md; params is JSON. Undefined is empty.
std::string csv(const Json& results);

}  // namespace vestige::report
