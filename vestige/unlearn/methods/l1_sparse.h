// L1-sparse fine-tuning: cross-entropy plus an L1 penalty that fades.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

/// Weight of the penalty at a step: alpha * (1 - step / total steps), 0 at the end.
double penalty_weight(double alpha, const train::Step& step);

/// Sum of |weight| over all parameters.
torch::Tensor l1_norm(const models::Network& network);

}  // namespace vestige::unlearn
