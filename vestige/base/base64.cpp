// Three bytes become four characters.
#include "vestige/base/base64.h"

#include <cstdint>

namespace vestige {

std::string base64(std::span<const std::byte> bytes) {
  constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t first = 0; first < bytes.size(); first += 3) {
    const std::size_t left = bytes.size() - first;
    std::uint32_t group = 0;
    for (std::size_t index = 0; index < 3; ++index) {
      group <<= 8U;
      if (index < left) group |= std::to_integer<std::uint32_t>(bytes[first + index]);
    }
    for (std::size_t index = 0; index < 4; ++index) {
      const std::uint32_t six = (group >> (18 - 6 * index)) & 63U;
      text += index <= left ? kAlphabet[six] : '=';
    }
  }
  return text;
}

}  // namespace vestige
