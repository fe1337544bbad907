// Single-gradient unlearning (Thudi et al. 2022): adds back what forget did to first order at the
// weights that training began with.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

Method unroll();

}  // namespace vestige::unlearn
