// Conversion of 16-bit floats: every half and bfloat16 is exactly a float, and so exactly a double.
#include "vestige/evidence/formats/half.h"

#include <bit>
#include <cstdint>
#include <cstring>

#include "vestige/base/platform/processor.h"
#include "vestige/evidence/formats/array.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace vestige::evidence {
namespace {

// 2^112 moves the exponent from the half's bias (15) to the float's (127). The product is exact,
// also for subnormal halves: they enter as subnormal floats and leave as normal ones.
float half_bits_to_float(std::uint32_t bits) {
  const std::uint32_t magnitude = bits & 0x7fffU;
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
  // Infinity and NaN: all exponent bits are set, the payload stays.
  const std::uint32_t special = magnitude >= 0x7c00U ? 0x7f800000U : 0U;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special |
                              ((bits & 0x8000U) << 16));
}

#if defined(__x86_64__)

__attribute__((target("avx,f16c"))) void halves_to_doubles_f16c(const std::byte* bytes,
                                                                std::span<double> out) {
  std::size_t index = 0;
  for (; index + 8 <= out.size(); index += 8) {
    __m128i halves;
    std::memcpy(&halves, bytes + 2 * index, sizeof halves);
    const __m256 floats = _mm256_cvtph_ps(halves);
    _mm256_storeu_pd(out.data() + index, _mm256_cvtps_pd(_mm256_castps256_ps128(floats)));
    _mm256_storeu_pd(out.data() + index + 4, _mm256_cvtps_pd(_mm256_extractf128_ps(floats, 1)));
  }
  halves_to_doubles_portable(bytes + 2 * index, out.subspan(index));
}

#endif

}  // namespace

float half_to_float(std::uint16_t bits) { return half_bits_to_float(bits); }

void halves_to_doubles_portable(const std::byte* bytes, std::span<double> out) {
  for (std::size_t index = 0; index < out.size(); ++index) {
    std::uint16_t bits;
    std::memcpy(&bits, bytes + 2 * index, sizeof bits);
    out[index] = static_cast<double>(half_bits_to_float(bits));
  }
}

void halves_to_doubles(const std::byte* bytes, std::span<double> out) {
#if defined(__x86_64__)
  if (platform::processor().f16c) return halves_to_doubles_f16c(bytes, out);
#endif
  halves_to_doubles_portable(bytes, out);
}

void bfloats_to_doubles(const std::byte* bytes, std::span<double> out) {
  for (std::size_t index = 0; index < out.size(); ++index) {
    std::uint16_t bits;
    std::memcpy(&bits, bytes + 2 * index, sizeof bits);
    out[index] = static_cast<double>(std::bit_cast<float>(std::uint32_t{bits} << 16));
  }
}

}  // namespace vestige::evidence
