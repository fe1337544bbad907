// Names of arrays and files that strangers choose: in an archive, in a folder, in a table.
#pragma once

#include <string_view>

namespace vestige::evidence {

/// Whether a text has characters that move the terminal's cursor, end a line, or change the order
/// in which others are shown (Unicode's bidirectional controls).
bool has_controls(std::string_view text);

/// InputError unless `name` is a relative path with '/' that stays below its folder and that every
/// system and terminal shows as it is: no empty part, no "." or "..", no backslash, no control
/// character. `source` is what holds it.
void check_member_name(std::string_view name, std::string_view source);

}  // namespace vestige::evidence
