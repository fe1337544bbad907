// Finding the layers that hold neurons.
#include "vestige/unlearn/parts/neurons.h"

#include "vestige/models/layers.h"

namespace vestige::unlearn {

std::vector<NeuronLayer> neuron_layers(const models::Network& network) {
  std::vector<NeuronLayer> result;
  for (const auto& module : network.named_modules("", false)) {
    const torch::nn::Module* layer = module.value().get();
    if (dynamic_cast<const models::Convolution*>(layer) == nullptr &&
        dynamic_cast<const models::Linear*>(layer) == nullptr) {
      continue;
    }
    const auto tensors = layer->named_parameters(false);
    NeuronLayer found{module.key(), tensors["weight"], {}};
    if (tensors.contains("bias")) found.bias = tensors["bias"];
    result.push_back(std::move(found));
  }
  return result;
}

torch::Tensor per_neuron(const torch::Tensor& values, const torch::Tensor& like) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(like.dim()), 1);
  sizes[1] = values.numel();
  return values.view(sizes);
}

}  // namespace vestige::unlearn
