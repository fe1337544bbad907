// Bad teaching: the student follows an untrained teacher on forgotten rows.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

Method bad_teacher();

}  // namespace vestige::unlearn
