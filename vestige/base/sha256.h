// SHA-256 of inputs, so that a result says exactly which bytes it came from.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace vestige {

/// Lower-case hexadecimal digest (FIPS 180-4).
std::string sha256(std::span<const std::byte> bytes);

}  // namespace vestige
