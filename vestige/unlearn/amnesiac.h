// Amnesiac unlearning, the relabel form that published code uses.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

Method amnesiac();

}  // namespace vestige::unlearn
