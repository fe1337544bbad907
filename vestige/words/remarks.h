// Headings of remarks.
#pragma once

#include <string>

#include "vestige/result/remark.h"

namespace vestige::words {

/// The heading under which remarks of one cause stand; empty for other.
std::string heading(result::Cause cause);

}  // namespace vestige::words
