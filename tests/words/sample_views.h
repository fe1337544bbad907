// Verdicts, headlines and other texts that people read first, filled with samples.
#pragma once

#include <string>

namespace vestige::words {

/// Under headings, to be read from top to bottom.
std::string sample_views();

}  // namespace vestige::words
