// Boundary shrink: rows of a forgotten class are given to the classes next to them.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

/// Nearest but incorrect labels [b]: the likeliest of the other classes after one step of the fast
/// gradient sign attack, inputs + bound * sign(gradient of the cross-entropy), on the normalised
/// inputs [1, b, ...]; labels [1, b].
torch::Tensor nearest_labels(models::Network& network, const torch::Tensor& inputs,
                             const torch::Tensor& labels, double bound);

}  // namespace vestige::unlearn
