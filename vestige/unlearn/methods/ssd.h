// Selective synaptic dampening: weights that matter to forget far more than to all data are shrunk.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

/// Foster et al. 2024, eq. 6 and its published code: where forget > alpha * all (strictly),
/// weight * min(1, lambda * all / forget); elsewhere the weight as it is. Any shape, all the same.
torch::Tensor ssd_dampen(const torch::Tensor& weights, const torch::Tensor& importance_all,
                         const torch::Tensor& importance_forget, double alpha, double lambda);

}  // namespace vestige::unlearn
