// The methods for language models. No LibTorch.
#pragma once

#include <string>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/language/recipe.h"

namespace vestige::language {

struct MethodInfo {
  std::string id, summary, source;
  Json defaults;  ///< every option with its default
};
std::vector<MethodInfo> methods();

/// Every option in force, defaults included. InputError for an unknown method, with the nearest,
/// and for wrong options.
Json options_in_force(const MethodSettings& method, const std::string& where);

/// True for methods that put a text before sequences and leave the weights alone.
bool is_prefix(const std::string& id);

}  // namespace vestige::language
