// Base64 (RFC 4648, section 4), for bytes inside JSON.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace vestige {

/// With padding, without line breaks.
std::string base64(std::span<const std::byte> bytes);

}  // namespace vestige
