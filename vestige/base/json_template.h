// Templates of JSON: texts with {placeholders}, and the values that take their places.
#pragma once

#include <string>

#include "vestige/base/json.h"

namespace vestige {

/// What fills a template.
struct Filling {
  const Json& values;  ///< by name; inserted as they are, never looked into for placeholders
  const Json& words;   ///< by name, where `values` has none; may hold placeholders themselves
  std::string where;   ///< for messages: "web/plots/roc.json"
};

/// A copy of `pattern` in which every text is filled. A placeholder is a name of small letters and
/// underscores in braces. A text that is one placeholder becomes the value, of whatever type;
/// within a longer text the value's own text is put in. "{name?}" leaves out the field or element
/// that it stands for where the value is null. std::logic_error for a name that has no value.
Json fill(const Json& pattern, const Filling& filling);

}  // namespace vestige
