// Fine-tuning: cross-entropy on the retained rows, and hope.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

Method finetune();

}  // namespace vestige::unlearn
