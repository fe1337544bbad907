// Names that were changed after a release.
#pragma once

#include "vestige/base/json.h"

namespace vestige::report {

/// Gives the keys and words of results.json before schema 3 their present names, at any depth.
void use_present_names(Json& json);

}  // namespace vestige::report
