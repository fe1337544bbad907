// Distances between what two models say about a batch, one value per copy.
#pragma once

#include "vestige/models/network.h"

namespace vestige::unlearn {

/// Mean over the batch of KL(p || q) in nats, from log-probabilities [k, b, classes]; [k].
torch::Tensor mean_kl(const torch::Tensor& log_p, const torch::Tensor& log_q);

/// Entropy of each prediction in nats, from log-probabilities [k, b, classes]; [k, b].
torch::Tensor entropies(const torch::Tensor& log_p);

/// Mean over the batch of the cross-entropy with the labels [k, b]; [k].
torch::Tensor mean_cross_entropy(const torch::Tensor& log_p, const torch::Tensor& labels);

/// A forward pass without a graph, in whatever mode the network is in.
torch::Tensor answers(models::Network& network, const torch::Tensor& inputs);

}  // namespace vestige::unlearn
