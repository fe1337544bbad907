// Values as TOML that a recipe reads back as the same values.
#pragma once

#include <string>

#include "vestige/base/json.h"

namespace vestige::experiment {

/// One value on one line: tables become inline tables, null entries of tables are left out.
std::string toml_value(const Json& value);

/// methods = [ ... ], one entry a line, as a recipe has it before its first [table].
std::string methods_toml(const Json& methods);

}  // namespace vestige::experiment
