// Retraining that leaves part of the forget rows in: a ruler between original and retrained.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

Method partial_retrain();

}  // namespace vestige::unlearn
