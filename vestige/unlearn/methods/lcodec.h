// L-CODEC: a Newton step that takes forget out of the few neurons its loss depends on.
#pragma once

#include <functional>

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

/// Tensors that are one vector together.
using WeightBlock = std::vector<torch::Tensor>;

/// Solves A x = right for positive definite A by conjugate gradients, in at most `steps` products.
/// Stops at a direction of no positive curvature, or when the residual falls to `tolerance` of
/// |right|.
WeightBlock conjugate_gradients(const std::function<WeightBlock(const WeightBlock&)>& product,
                                const WeightBlock& right, std::int64_t steps,
                                double tolerance = 1e-3);

}  // namespace vestige::unlearn
