// Gradients of the cross-entropy over whole sets of rows; weights and buffers are left alone.
#pragma once

#include <cstdint>
#include <vector>

#include "vestige/models/network.h"
#include "vestige/train/batches/samples.h"

namespace vestige::unlearn {

/// One tensor per parameter, in the order of network.parameters(); zero where none was reached.
struct Gradients {
  std::vector<torch::Tensor> values;
  std::int64_t samples = 0;  ///< rows that a gradient was taken of
};

/// Cross-entropy of each row: logits [..., classes], labels [...] -> [...].
torch::Tensor row_losses(const torch::Tensor& logits, const torch::Tensor& labels);

/// The gradient of the mean cross-entropy over all rows. In training mode, batch norms use (and
/// record) the batches' statistics.
Gradients mean_gradient(models::Network& network, const train::Samples& samples,
                        const train::Rows& rows, std::int64_t batch, bool training_mode = false);

/// Mean over batches of the squared gradient of the batch's mean cross-entropy, in evaluation mode:
/// the diagonal of the empirical Fisher matrix for batch = 1, its usual stand-in for more. Batches
/// are drawn from the stream (seed, "importance").
Gradients mean_squared_gradient(models::Network& network, const train::Samples& samples,
                                const train::Rows& rows, std::int64_t batch, std::uint64_t seed);

}  // namespace vestige::unlearn
