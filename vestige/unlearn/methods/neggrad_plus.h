// NegGrad+: descend on retained rows and ascend, a little, on forgotten ones.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

/// a * loss(retained) - (1 - a) * loss(forgotten), per copy.
torch::Tensor contrast(const torch::Tensor& retained, const torch::Tensor& forgotten, double a);

}  // namespace vestige::unlearn
