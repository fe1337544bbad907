// Weights in one tensor, and what architectures share.
#include "vestige/language/network.h"

#include <algorithm>
#include <cassert>

#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/models/weights/safetensors.h"

namespace vestige::language {

void Network::make(const std::vector<Weight>& weights, torch::Device device, bool bfloat16) {
  bfloat16_ = bfloat16;
  std::int64_t next = 0;
  for (const bool matrices : {true, false}) {
    for (const Weight& weight : weights) {
      if ((weight.sizes.size() > 1) != matrices) continue;
      std::int64_t size = 1;
      for (const std::int64_t side : weight.sizes) size *= side;
      places_.push_back({weight, next, size});
      next += size;
    }
    if (matrices) decayed_ = next;
  }
  const auto options = torch::TensorOptions().dtype(torch::kFloat32).device(device);
  values_ = torch::zeros({next}, options);
  gradients_ = torch::zeros({next}, options);
  for (const Place& place : places_) {
    torch::Tensor view =
        values_.narrow(0, place.first, place.size).view(place.weight.sizes).detach();
    view.set_requires_grad(true);
    // Autograd adds to a gradient that is there already, in place.
    view.mutable_grad() = gradients_.narrow(0, place.first, place.size).view(place.weight.sizes);
    weights_.emplace(place.weight.name, view);
  }
}

void Network::initialise(std::uint64_t seed) {
  const torch::NoGradGuard no_gradient;
  torch::Tensor drawn = torch::empty({values_.size(0)}, torch::kFloat32);
  float* out = drawn.data_ptr<float>();
  for (const Place& place : places_) {
    Stream stream(seed, "language/weights/" + place.weight.name);
    for (std::int64_t i = place.first; i < place.first + place.size; ++i) {
      out[i] = place.weight.deviation == 0
                   ? static_cast<float>(place.weight.constant)
                   : static_cast<float>(place.weight.deviation * stream.normal());
    }
  }
  values_.copy_(drawn);
}

std::string Network::save() const {
  std::map<std::string, torch::Tensor> tensors;
  for (const auto& [name, tensor] : weights_) tensors[name] = tensor.detach().cpu().contiguous();
  return models::to_safetensors(tensors);
}

void Network::load(std::string_view bytes, std::string_view source) {
  const auto tensors = models::from_safetensors(bytes, source);
  for (const auto& [name, tensor] : weights_) {
    const auto found = tensors.find(name);
    require(found != tensors.end() && found->second.sizes() == tensor.sizes(),
            "{}: the tensor {} is missing or of another shape: the file belongs to another model",
            source, name);
  }
  require(tensors.size() == weights_.size(),
          "{}: it has {} tensors, this architecture {}: the file belongs to another model", source,
          tensors.size(), weights_.size());
  const torch::NoGradGuard no_gradient;
  for (auto& [name, tensor] : weights_) tensor.copy_(tensors.at(name));
}

void Network::copy_from(const Network& other) {
  assert(values_.sizes() == other.values_.sizes());
  const torch::NoGradGuard no_gradient;
  values_.copy_(other.values_);
}

torch::Tensor Network::mask(const std::vector<std::string>& beginnings) const {
  torch::Tensor chosen = torch::zeros_like(values_);
  for (const Place& place : places_) {
    const bool takes = std::any_of(
        beginnings.begin(), beginnings.end(),
        [&](const std::string& beginning) { return place.weight.name.starts_with(beginning); });
    if (takes) chosen.narrow(0, place.first, place.size).fill_(1);
  }
  return chosen;
}

torch::Tensor Network::linear(const torch::Tensor& x, const std::string& name) const {
  const torch::Tensor& matrix = weight(name + ".weight");
  const torch::Tensor& bias = weight(name + ".bias");
  if (!bfloat16_) return torch::linear(x, matrix, bias);
  return torch::linear(x.to(torch::kBFloat16), matrix.to(torch::kBFloat16),
                       bias.to(torch::kBFloat16));
}

torch::Tensor Network::norm(const torch::Tensor& x, const std::string& name) const {
  return torch::layer_norm(x, {x.size(-1)}, weight(name + ".weight"), weight(name + ".bias"));
}

torch::Tensor Network::embedded(const torch::Tensor& tokens) const {
  return torch::embedding(weight("embedding"), tokens);
}

torch::Tensor Network::logits(const torch::Tensor& tokens) const {
  const torch::Tensor last = states(tokens);
  const torch::Tensor& embedding = weight("embedding");
  if (!bfloat16_) return torch::matmul(last, embedding.t());
  return torch::matmul(last.to(torch::kBFloat16), embedding.to(torch::kBFloat16).t())
      .to(torch::kFloat32);
}

NetworkPointer make_network(const Json& model, std::int64_t vocabulary, const Engine& engine) {
  Options options(model, "[model]");
  const std::string name = options.choice("name", "gpt", {"gpt", "lstm"});
  NetworkPointer network =
      name == "gpt" ? gpt(options, vocabulary, engine) : lstm(options, vocabulary, engine);
  options.finish();
  return network;
}

}  // namespace vestige::language
