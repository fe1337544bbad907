// What fine-tuning does unless it is told otherwise, for methods that build on it.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

/// MIAU's Table 8: 5 epochs at rate .02, batches of 128.
PhaseDefaults finetune_defaults();

}  // namespace vestige::unlearn
