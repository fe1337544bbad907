// Forget: cycles of new random layers and of learning the original's answers on noised images.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

Method forget();

}  // namespace vestige::unlearn
