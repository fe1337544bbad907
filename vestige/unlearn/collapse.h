// The control that destroys the model: the same constant logits for every input.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

Method collapse();

}  // namespace vestige::unlearn
