// Options of single metrics as a table: "epsilon.mode" is --epsilon-mode on the command line and
// options = { epsilon.mode = "exact" } in a recipe.
#pragma once

#include <string>
#include <vector>

#include "vestige/base/json.h"

namespace vestige::audit {

enum class OptionKind { text, count, number, numbers };

struct MetricOption {
  const char* flag;
  const char* key;
  OptionKind kind;
  const char* fallback;  ///< empty: not passed on unless given
  const char* help;
  std::vector<std::string> choices;
};

const std::vector<MetricOption>& metric_options();

/// The value of an option from its text; numbers are separated by commas.
Json typed_option(const MetricOption& option, const std::string& text);

/// Every option in force: defaults, then `given` (an object; nested tables become dotted names).
/// Unknown names and wrong values are InputErrors that begin with `where`.
Json checked_options(const Json& given, const std::string& where);

}  // namespace vestige::audit
