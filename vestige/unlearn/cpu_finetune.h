// CPU-FT: fine-tuning with a term that pushes forget rows out of their prediction sets.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

Method cpu_finetune();

}  // namespace vestige::unlearn
