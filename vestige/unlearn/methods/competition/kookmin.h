// Kookmin: re-initialise the convolution weights that the NegGrad+ loss hardly moves, then repair.
#pragma once

#include "vestige/unlearn/method.h"
#include "vestige/unlearn/repair.h"

namespace vestige::unlearn {

/// With another repair than its own (an empty one: its own, cross-entropy).
Run prepare_kookmin(Options& options, const MakeRepair& repair);

/// Gradient of alpha mean CE(retain) - (1 - alpha) mean CE(forget) with respect to each convolution
/// weight, in the order of convolutions(); taken in evaluation mode, and no gradient is left
/// behind.
std::vector<torch::Tensor> neggrad_gradients(Problem& problem, const train::Rows& retain,
                                             double alpha, std::int64_t batch);

}  // namespace vestige::unlearn
