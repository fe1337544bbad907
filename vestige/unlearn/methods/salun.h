// SalUn: random labels that may change only the weights which matter most to the forgotten rows.
#pragma once

#include <vector>

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

/// Bool tensors of the gradients' shapes, true at the floor(n * fraction) largest |gradient| of all
/// n numbers together; of equal ones, those that come first. fraction in [0, 1].
std::vector<torch::Tensor> saliency_mask(const std::vector<torch::Tensor>& gradients,
                                         double fraction);

/// Sums over `rows` of the gradients of -CE at the network's weights, in evaluation mode.
std::vector<torch::Tensor> ascent_gradients(models::Network& network, const train::Samples& samples,
                                            const train::Rows& rows, std::int64_t batch);

/// Lets `phase` change the weights where `masks` is true only: gradients are zeroed elsewhere, and
/// what momentum or weight decay did there is taken back to the weights of now.
void restrict_phase(train::Phase& phase, const models::Network& network,
                    const std::vector<torch::Tensor>& masks);

}  // namespace vestige::unlearn
