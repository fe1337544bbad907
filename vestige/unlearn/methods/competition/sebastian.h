// Sebastian: re-initialise nearly all small weights, then cross-entropy and the old entropies.
#pragma once

#include "vestige/unlearn/method.h"
#include "vestige/unlearn/repair.h"

namespace vestige::unlearn {

/// Weighted cross-entropy plus factor times the mean squared difference between the entropies of
/// the network's and the teacher's predictions.
train::Objective entropy_objective(models::NetworkPointer teacher, const torch::Tensor& weights,
                                   double factor);

/// Rows of a class ^ -power, and 0 for a class without rows; [classes].
torch::Tensor class_weights(const train::Samples& samples, const train::Rows& rows, double power);

/// Its objective with the paper's weights; the teacher is the network as it is at this moment.
Repair sebastian_repair(Problem& problem);

}  // namespace vestige::unlearn
