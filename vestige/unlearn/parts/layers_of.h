// The layers of a network that methods pick from, and what is done to them: fresh weights, noise.
// Norms, class tokens and positions are not among them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vestige/base/seed.h"
#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

/// A convolution (weight [1, out, in, h, w]) or a linear layer (weight [1, out, in]); the tensors
/// are the network's own.
struct WeightLayer {
  std::string name;
  bool convolution = false;
  torch::Tensor weight;
  torch::Tensor bias;  ///< undefined without

  std::vector<torch::Tensor> parameters() const;
};

/// All of them in the order of registration, which is that of the data flow.
std::vector<WeightLayer> weight_layers(const models::Network& network);
/// Convolutions only; InputError if there are none.
std::vector<WeightLayer> convolutions(const models::Network& network);
WeightLayer first_convolution(const models::Network& network);
/// The last linear layer.
WeightLayer classifier(const models::Network& network);

/// round(share * count) of them (at least one if share > 0), without replacement, in their order.
std::vector<WeightLayer> random_layers(const std::vector<WeightLayer>& layers, double share,
                                       Stream& stream);

/// True for the round(share * n) smallest of `values`; of equal ones those with the lower index.
torch::Tensor lowest(const torch::Tensor& values, double share);
/// The same over all tensors together; one mask per tensor.
std::vector<torch::Tensor> lowest_of_all(const std::vector<torch::Tensor>& values, double share);

/// Weights and biases of `layers` as a network with this seed begins.
void reinitialise(const Problem& problem, const std::vector<WeightLayer>& layers,
                  std::uint64_t seed);
/// The same for weights at which `masks` (one per layer, the weight's shape) is true; no biases.
void reinitialise(const Problem& problem, const std::vector<WeightLayer>& layers,
                  const std::vector<torch::Tensor>& masks, std::uint64_t seed);

/// Adds N(0, deviation^2) to every element.
void add_noise(const std::vector<torch::Tensor>& tensors, double deviation, Stream& stream);

/// A seed for one purpose of this run of the method.
std::uint64_t seed_for(const Problem& problem, std::string_view purpose, std::uint64_t index = 0);

}  // namespace vestige::unlearn
