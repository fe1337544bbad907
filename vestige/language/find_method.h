// A method by its name.
#pragma once

#include <string>

#include "vestige/language/method.h"

namespace vestige::language {

/// InputError with the nearest name if there is none; `where` names the recipe.
const Method& find_method(const std::string& id, const std::string& where);

}  // namespace vestige::language
