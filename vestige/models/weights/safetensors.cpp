// Writing and reading .safetensors (github.com/huggingface/safetensors, README, "Format"): eight
// bytes of header length (little-endian), a JSON header padded with spaces, the tensors' bytes.
#include "vestige/models/weights/safetensors.h"

#include <cstring>
#include <span>

#include "vestige/base/error.h"
#include "vestige/base/json.h"
#include "vestige/evidence/formats/safetensors.h"

namespace vestige::models {
namespace {

void append_length(std::string& bytes, std::uint64_t length) {
  for (int place = 0; place < 8; ++place) {
    bytes.push_back(static_cast<char>(length >> (8 * place) & 0xFF));
  }
}

}  // namespace

std::string to_safetensors(const std::map<std::string, torch::Tensor>& tensors,
                           const std::map<std::string, std::string>& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  std::string data;
  for (const auto& [name, tensor] : tensors) {
    const torch::Tensor values = tensor.detach().cpu().contiguous();
    const bool integer = values.scalar_type() == torch::kInt64;
    require(integer || values.scalar_type() == torch::kFloat32,
            "the tensor {} is neither float32 nor int64 and cannot be saved", name);
    const std::size_t begin = data.size();
    data.append(static_cast<const char*>(values.data_ptr()), values.nbytes());
    header[name] = {{"dtype", integer ? "I64" : "F32"},
                    {"shape", values.sizes().vec()},
                    {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string bytes;
  bytes.reserve(8 + text.size() + data.size());
  append_length(bytes, text.size());
  return bytes.append(text).append(data);
}

std::map<std::string, torch::Tensor> from_safetensors(std::string_view bytes,
                                                      std::string_view source) {
  std::map<std::string, torch::Tensor> tensors;
  for (const auto& [name, array] :
       evidence::parse_safetensors(std::as_bytes(std::span(bytes)), nullptr, source)) {
    const bool integer = array.dtype() == evidence::DType::int64;
    require(integer || array.dtype() == evidence::DType::float32,
            "{}: the tensor {} is {}: float32 is needed", source, name,
            evidence::name(array.dtype()));
    std::vector<std::int64_t> shape(array.shape().begin(), array.shape().end());
    torch::Tensor values = torch::empty(shape, integer ? torch::kInt64 : torch::kFloat32);
    std::memcpy(values.data_ptr(), array.bytes().data(), array.bytes().size());
    tensors[name] = values;
  }
  return tensors;
}

}  // namespace vestige::models
