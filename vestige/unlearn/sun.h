// Sun: a new classifier, epochs of fine-tuning random layers after noise on them, fine-tuning.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

Method sun();

}  // namespace vestige::unlearn
