// One copy of a network to and from named tensors.
#include "vestige/models/weights/checkpoint.h"

#include <cassert>
#include <cstring>
#include <memory>
#include <span>

#include "vestige/base/error.h"
#include "vestige/evidence/formats/safetensors.h"
#include "vestige/models/weights/safetensors.h"

namespace vestige::models {
namespace {

using evidence::Array;

/// Parameters and buffers of one copy, views of the network's own, sorted by name.
std::map<std::string, torch::Tensor> tensors_of(const Network& network, std::int64_t copy) {
  assert(copy >= 0 && copy < network.copies());
  std::map<std::string, torch::Tensor> tensors;
  for (const auto& entry : network.named_parameters()) tensors[entry.key()] = entry.value();
  for (const auto& entry : network.named_buffers()) tensors[entry.key()] = entry.value();
  for (auto& [name, tensor] : tensors) {
    assert(tensor.scalar_type() == torch::kFloat32);
    tensor = tensor.detach().select(0, copy);
  }
  return tensors;
}

void check_array(const Array& array, const std::string& name, const torch::Tensor& target,
                 std::string_view source) {
  std::vector<std::size_t> shape;
  for (const std::int64_t size : target.sizes()) shape.push_back(static_cast<std::size_t>(size));
  require(array.dtype() == evidence::DType::float32 && array.shape() == shape,
          "{}: the tensor {} is {} {}, this architecture has float32 {}: the file belongs to "
          "another model",
          source, name, evidence::name(array.dtype()), evidence::shape_text(array.shape()),
          evidence::shape_text(shape));
}

}  // namespace

std::string save(const Network& network, std::int64_t copy,
                 const std::map<std::string, std::string>& metadata) {
  return to_safetensors(tensors_of(network, copy), metadata);
}

void load(Network& network, std::int64_t copy, std::string_view bytes, std::string_view source) {
  const auto arrays = evidence::parse_safetensors(std::as_bytes(std::span(bytes)), nullptr, source);
  std::map<std::string, torch::Tensor> targets = tensors_of(network, copy);
  // All is checked before anything is filled, so that an error leaves the network as it was.
  for (const auto& [name, target] : targets) {
    const auto found = arrays.find(name);
    require(found != arrays.end(),
            "{}: the tensor {} is missing: the file belongs to another model", source, name);
    check_array(found->second, name, target, source);
  }
  for (const auto& [name, array] : arrays) {
    require(targets.count(name) > 0,
            "{}: the tensor {} is not part of this architecture: the file belongs to another model",
            source, name);
  }
  for (auto& [name, target] : targets) {
    const std::span<const std::byte> from = arrays.at(name).bytes();
    torch::Tensor values = torch::empty(target.sizes(), torch::kFloat32);
    std::memcpy(values.data_ptr(), from.data(), from.size());
    target.copy_(values);
  }
}

}  // namespace vestige::models
