// Whether forget rows look like a random draw to models that saw none of them.
#pragma once

#include "vestige/base/context.h"
#include "vestige/evidence/evidence.h"
#include "vestige/result/reason.h"

namespace vestige::audit {

/// A sentence, with a space before it, on what shadow models know of forget rows beyond test rows:
/// of a random draw nothing. Empty without shadow models that say something of both.
result::Reason shadow_check(const Context& context, const evidence::Evidence& evidence);

}  // namespace vestige::audit
