// CPU-RL: random labels on forget with a term that pushes its rows out of their prediction sets.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

Method cpu_random_label();

}  // namespace vestige::unlearn
