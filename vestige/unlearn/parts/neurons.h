// The neurons of a network: output units of its linear layers and filters of its convolutions.
#pragma once

#include <string>
#include <vector>

#include "vestige/models/network.h"

namespace vestige::unlearn {

/// One layer of neurons; weights share their storage with the network.
struct NeuronLayer {
  std::string name;      ///< of the module: "conv1"
  torch::Tensor weight;  ///< [1, neurons, ...], what comes into each
  torch::Tensor bias;    ///< [1, neurons], or undefined
  std::int64_t neurons() const { return weight.size(1); }
};

/// Convolutions and linear layers in the order of the data flow; the last one is the classifier.
std::vector<NeuronLayer> neuron_layers(const models::Network& network);

/// `values` [neurons] shaped to multiply a tensor [1, neurons, ...].
torch::Tensor per_neuron(const torch::Tensor& values, const torch::Tensor& like);

}  // namespace vestige::unlearn
