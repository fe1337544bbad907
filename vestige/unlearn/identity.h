// The control that does nothing: an audit must find everything still there.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

Method identity();

}  // namespace vestige::unlearn
