// Writing and reading .safetensors (github.com/huggingface/safetensors, README, "Format"): eight
// bytes of header length (little-endian), a JSON header padded with spaces, the tensors' bytes.
#include "vestige/models/checkpoint.h"

#include <cassert>
#include <cstring>
#include <memory>
#include <span>

#include "vestige/base/error.h"
#include "vestige/base/json.h"
#include "vestige/evidence/safetensors.h"

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

void append_length(std::string& bytes, std::uint64_t length) {
  for (int place = 0; place < 8; ++place) {
    bytes.push_back(static_cast<char>(length >> (8 * place) & 0xFF));
  }
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
  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::string data;
  for (const auto& [name, tensor] : tensors_of(network, copy)) {
    const torch::Tensor values = tensor.cpu().contiguous();
    const std::size_t begin = data.size();
    data.append(static_cast<const char*>(values.data_ptr()), values.nbytes());
    header[name] = {
        {"dtype", "F32"}, {"shape", values.sizes().vec()}, {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string bytes;
  bytes.reserve(8 + text.size() + data.size());
  append_length(bytes, text.size());
  return bytes.append(text).append(data);
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
