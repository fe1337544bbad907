// What a list of rows hashes to: models know their rows by it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "vestige/base/sha256.h"

namespace vestige::train {

inline std::string hash_of(const std::vector<std::int64_t>& rows) {
  return sha256(std::as_bytes(std::span(rows)));
}

}  // namespace vestige::train
