// Whether forget rows look like a random draw to models that saw none of them.
#pragma once

#include <string>

#include "vestige/evidence/evidence.h"

namespace vestige::audit {

/// A sentence, with a space before it, on what shadow models know of forget rows beyond test rows:
/// of a random draw nothing. Empty without shadow models that say something of both.
std::string shadow_check(const evidence::Evidence& evidence);

}  // namespace vestige::audit
