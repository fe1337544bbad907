// All options of the audit, of the families and of its own verdicts, as one table by key:
// "epsilon.mode" is --epsilon-mode on the command line and options = { epsilon.mode = "exact" } in
// a recipe.
#pragma once

#include <string>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/metrics/options.h"

namespace vestige::audit {

/// Those of every family in the registry's order, then those of verdicts and of costs.
std::vector<metrics::Option> metric_options();

/// Every option in force: defaults, then `given` (an object; nested tables become dotted names).
/// Unknown names and wrong values are InputErrors that begin with `where`.
Json checked_options(const Json& given, const std::string& where);

}  // namespace vestige::audit
