// Amnesiac unlearning as first described: take back the logged updates.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

Method amnesiac_log();

}  // namespace vestige::unlearn
