// UTF-8: encode, decode, check and show; ids and subjects may be in any script.
#pragma once

#include <string>
#include <string_view>

namespace vestige::evidence {

/// Appends one code point; false, and nothing appended, for surrogates and beyond U+10FFFF.
bool append_utf8(std::string& text, char32_t point);

/// Whether `text` is well-formed UTF-8 (no overlong forms, no surrogates).
bool is_utf8(std::string_view text);

/// A name or value of a file as an error may show it: at most 80 code points, with '?' for control
/// characters (a line break, an escape sequence of the terminal) and for what is not UTF-8.
std::string printable(std::string_view text);

/// The code points; InputError if `text` is not UTF-8.
std::u32string code_points(std::string_view text);

}  // namespace vestige::evidence
