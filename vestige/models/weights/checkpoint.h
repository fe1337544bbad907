// The weights of one copy as safetensors bytes, and back.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "vestige/models/network.h"

namespace vestige::models {

/// Parameters and buffers of one copy without the leading dimension, on the CPU, under the names
/// that named_parameters() and named_buffers() give, as a .safetensors file's bytes (sorted by
/// name, so that equal weights are equal bytes).
std::string save(const Network& network, std::int64_t copy,
                 const std::map<std::string, std::string>& metadata = {});

/// Fills copy `copy`; a missing, surplus or wrongly shaped tensor is an InputError that names it
/// and `source`.
void load(Network& network, std::int64_t copy, std::string_view bytes, std::string_view source);

}  // namespace vestige::models
