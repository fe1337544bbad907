// JSON and TOML that anybody may have written: nesting is limited, because walking, copying or
// writing a value takes stack for every level, and the stack is small.
#pragma once

#include <cstddef>
#include <string_view>

#include "vestige/base/json.h"

namespace vestige {

/// Results have about 15 levels, plots about 20.
inline constexpr std::size_t kMostJsonLevels = 100;
/// Fewer parts are allowed in a dotted key, "a.b.c" or [a.b.c]. toml++ itself refuses arrays and
/// inline tables that are nested more than 256 times.
inline constexpr std::size_t kMostKeyParts = 20;

/// Whether brackets and braces outside of strings are nested more than kMostJsonLevels times.
bool json_too_deep(std::string_view text);

/// The value of a JSON text; discarded (is_discarded(), neither object nor anything else) where it
/// is no JSON or nested too deeply.
Json parse_json(std::string_view text);

/// Whether a dotted key outside of strings and comments has kMostKeyParts parts or more.
bool toml_too_deep(std::string_view text);

}  // namespace vestige
