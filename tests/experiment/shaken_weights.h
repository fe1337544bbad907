// Models of one kind that differ by chance alone, for tests on null data.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "vestige/base/seed.h"

namespace vestige::testing {

/// Every float of a safetensors file times 1 + share * z, z normal: variances stay positive.
inline std::string shaken_weights(std::string bytes, const std::string& name, std::uint64_t draw,
                                  double share) {
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof header);
  Stream stream(draw, "null/" + name);
  for (std::size_t place = 8 + header; place + sizeof(float) <= bytes.size();
       place += sizeof(float)) {
    float weight = 0;
    std::memcpy(&weight, bytes.data() + place, sizeof weight);
    weight *= static_cast<float>(1 + share * stream.normal());
    std::memcpy(bytes.data() + place, &weight, sizeof weight);
  }
  return bytes;
}

}  // namespace vestige::testing
