// SHA-256 by OpenSSL's libcrypto: it uses the processor's SHA instructions, which a plain loop
// would not, and a 1 GB input must be hashed at the speed of the disk cache.
#include "vestige/base/sha256.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "vestige/base/interrupt.h"

namespace vestige {

std::string sha256(std::span<const std::byte> bytes) {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  bool good = context != nullptr && EVP_DigestInit_ex(context, EVP_sha256(), nullptr) == 1;
  constexpr std::size_t kBlock = std::size_t{1} << 26;
  for (std::size_t first = 0; good && first < bytes.size() && !interrupted(); first += kBlock) {
    const auto block = bytes.subspan(first, std::min(kBlock, bytes.size() - first));
    good = EVP_DigestUpdate(context, block.data(), block.size()) == 1;
  }
  std::array<unsigned char, 32> digest{};
  good = good && EVP_DigestFinal_ex(context, digest.data(), nullptr) == 1;
  EVP_MD_CTX_free(context);
  check_interrupt();
  if (!good) throw std::runtime_error("libcrypto cannot compute SHA-256");
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace vestige
