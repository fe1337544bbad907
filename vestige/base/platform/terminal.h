// Where output goes.
#pragma once

#include <cstddef>

namespace vestige::platform {

/// Whether standard output, or standard error, is a terminal that somebody looks at.
bool output_is_terminal();
bool errors_are_on_terminal();

/// Characters in a line of the terminal that standard output is; 0 where that is not known.
std::size_t terminal_width();
/// The same of standard error.
std::size_t errors_width();

}  // namespace vestige::platform
