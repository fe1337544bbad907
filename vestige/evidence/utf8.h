// UTF-8: encode, decode and check; ids and subjects may be in any script.
#pragma once

#include <string>
#include <string_view>

namespace vestige::evidence {

/// Appends one code point; false, and nothing appended, for surrogates and beyond U+10FFFF.
bool append_utf8(std::string& text, char32_t point);

/// Whether `text` is well-formed UTF-8 (no overlong forms, no surrogates).
bool is_utf8(std::string_view text);

/// The code points; InputError if `text` is not UTF-8.
std::u32string code_points(std::string_view text);

}  // namespace vestige::evidence
