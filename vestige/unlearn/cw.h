// The plain C&W loss on forget beside another method's loss: the conformal paper's ablation.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

Method cw();

}  // namespace vestige::unlearn
