// The .safetensors format: a JSON header, then the tensors' bytes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "vestige/evidence/formats/array.h"

namespace vestige::evidence {

/// Every tensor by name, as views of `bytes`, which `owner` keeps alive. `__metadata__` is ignored.
std::map<std::string, Array> parse_safetensors(std::span<const std::byte> bytes,
                                               std::shared_ptr<const void> owner,
                                               std::string_view source_name);

/// Every tensor of a mapped file.
std::map<std::string, Array> read_safetensors(const std::filesystem::path& path);

}  // namespace vestige::evidence
