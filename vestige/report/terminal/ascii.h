// Text for terminals whose locale is not UTF-8.
#pragma once

#include <string>

namespace vestige::report {

/// Whether the locale of the environment (LC_ALL, LC_CTYPE, LANG) is a UTF-8 one.
bool utf8_locale();

/// The same text in ASCII: what the summary plot draws with has a sign of its own and the same
/// width; any other character becomes "?".
std::string ascii(const std::string& text);

}  // namespace vestige::report
