// Named tensors as .safetensors bytes, and back.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "vestige/models/torch.h"

namespace vestige::models {

/// float32 and int64 tensors, written from the CPU in the order of their names, so that equal
/// tensors are equal bytes.
std::string to_safetensors(const std::map<std::string, torch::Tensor>& tensors,
                           const std::map<std::string, std::string>& metadata = {});

/// Every float32 and int64 tensor, copied; other types and damaged files are InputErrors.
std::map<std::string, torch::Tensor> from_safetensors(std::string_view bytes,
                                                      std::string_view source);

}  // namespace vestige::models
