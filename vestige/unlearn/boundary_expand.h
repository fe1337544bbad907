// Boundary expand: rows of a forgotten class go to a shadow class that is cut off afterwards.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

Method boundary_expand();

}  // namespace vestige::unlearn
