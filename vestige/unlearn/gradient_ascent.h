// Gradient ascent on the forgotten rows.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

Method gradient_ascent();

}  // namespace vestige::unlearn
