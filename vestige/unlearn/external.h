// A method that is somebody else's program: files in, a command, a file out.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

Method external();

}  // namespace vestige::unlearn
