// Picking layers and elements, and changing them.
#include "vestige/unlearn/parts/layers_of.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"
#include "vestige/models/layers.h"

namespace vestige::unlearn {

std::vector<torch::Tensor> WeightLayer::parameters() const {
  if (!bias.defined()) return {weight};
  return {weight, bias};
}

std::vector<WeightLayer> weight_layers(const models::Network& network) {
  std::vector<WeightLayer> layers;
  for (const auto& module : network.named_modules("", false)) {
    const bool convolution = dynamic_cast<const models::Convolution*>(module.value().get());
    const bool linear = dynamic_cast<const models::Linear*>(module.value().get());
    if (!convolution && !linear) continue;
    const auto parameters = module.value()->named_parameters(false);
    const torch::Tensor* bias = parameters.find("bias");
    layers.push_back({module.key(), convolution, parameters["weight"],
                      bias == nullptr ? torch::Tensor() : *bias});
  }
  return layers;
}

std::vector<WeightLayer> convolutions(const models::Network& network) {
  std::vector<WeightLayer> layers = weight_layers(network);
  std::erase_if(layers, [](const WeightLayer& layer) { return !layer.convolution; });
  require(!layers.empty(), "this network has no convolutions: choose another architecture");
  return layers;
}

WeightLayer first_convolution(const models::Network& network) {
  return convolutions(network).front();
}

WeightLayer classifier(const models::Network& network) {
  std::vector<WeightLayer> layers = weight_layers(network);
  std::erase_if(layers, [](const WeightLayer& layer) { return layer.convolution; });
  require(!layers.empty(), "this network has no linear layer: choose another architecture");
  return layers.back();
}

std::vector<WeightLayer> random_layers(const std::vector<WeightLayer>& layers, double share,
                                       Stream& stream) {
  if (!(share > 0) || layers.empty()) return {};
  const auto count =
      static_cast<std::size_t>(std::llround(share * static_cast<double>(layers.size())));
  std::vector<WeightLayer> chosen;
  for (const std::size_t index :
       stream.sample(layers.size(), std::clamp(count, std::size_t{1}, layers.size()))) {
    chosen.push_back(layers[index]);
  }
  return chosen;
}

torch::Tensor lowest(const torch::Tensor& values, double share) {
  const torch::Tensor flat = values.detach().reshape({-1});
  const std::int64_t count = std::llround(share * static_cast<double>(flat.numel()));
  torch::Tensor mask = torch::zeros_like(flat, torch::kBool);
  // A stable sort keeps equal values in the order of their indices.
  const torch::Tensor order = std::get<1>(torch::sort(flat, /*stable=*/true, 0, false));
  mask.index_fill_(0, order.narrow(0, 0, count), true);
  return mask.view(values.sizes());
}

std::vector<torch::Tensor> lowest_of_all(const std::vector<torch::Tensor>& values, double share) {
  std::vector<torch::Tensor> flat;
  for (const torch::Tensor& each : values) flat.push_back(each.detach().reshape({-1}));
  const torch::Tensor mask = lowest(torch::cat(flat), share);
  std::vector<torch::Tensor> masks;
  std::int64_t start = 0;
  for (const torch::Tensor& each : values) {
    masks.push_back(mask.narrow(0, start, each.numel()).view(each.sizes()));
    start += each.numel();
  }
  return masks;
}

void reinitialise(const Problem& problem, const std::vector<WeightLayer>& layers,
                  std::uint64_t seed) {
  const torch::NoGradGuard no_gradient;
  const models::NetworkPointer fresh = fresh_network(problem, seed);
  const auto from = fresh->named_parameters();
  for (const WeightLayer& layer : layers) {
    layer.weight.copy_(from[layer.name + ".weight"]);
    if (layer.bias.defined()) layer.bias.copy_(from[layer.name + ".bias"]);
  }
}

void reinitialise(const Problem& problem, const std::vector<WeightLayer>& layers,
                  const std::vector<torch::Tensor>& masks, std::uint64_t seed) {
  const torch::NoGradGuard no_gradient;
  const models::NetworkPointer fresh = fresh_network(problem, seed);
  const auto from = fresh->named_parameters();
  for (std::size_t place = 0; place < layers.size(); ++place) {
    const torch::Tensor& weight = layers[place].weight;
    weight.copy_(torch::where(masks[place], from[layers[place].name + ".weight"], weight));
  }
}

void add_noise(const std::vector<torch::Tensor>& tensors, double deviation, Stream& stream) {
  const torch::NoGradGuard no_gradient;
  if (deviation == 0) return;
  for (const torch::Tensor& tensor : tensors) {
    tensor.add_(train::normal_tensor(tensor.sizes(), stream, tensor.device()), deviation);
  }
}

std::uint64_t seed_for(const Problem& problem, std::string_view purpose, std::uint64_t index) {
  return Stream(problem.seed, purpose, index)();
}

}  // namespace vestige::unlearn
