// --plugin FILE.py: metrics that are Python functions. The audit then runs inside Python, which
// must have the package vestige.
#pragma once

#include <string>
#include <vector>

#include "vestige/base/json.h"

namespace vestige::cli {

/// Replaces this process by python3 (VESTIGE_PYTHON names another one), which loads the plug-ins
/// and audits as `settings` say; see python/vestige/_plugin.py. Throws where Python cannot be
/// started.
[[noreturn]] void audit_in_python(const std::vector<std::string>& plugins, const Json& settings);

}  // namespace vestige::cli
