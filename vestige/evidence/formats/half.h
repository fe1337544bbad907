// Blocks of 16-bit floats (IEEE half, bfloat16) as doubles, at the speed of memory.
#pragma once

#include <cstddef>
#include <span>

namespace vestige::evidence {

/// `bytes` holds out.size() halves in native byte order, at any alignment.
void halves_to_doubles(const std::byte* bytes, std::span<double> out);

/// The same without special instructions: the fallback, and the oracle of the tests.
void halves_to_doubles_portable(const std::byte* bytes, std::span<double> out);

/// `bytes` holds out.size() bfloat16 values in native byte order, at any alignment.
void bfloats_to_doubles(const std::byte* bytes, std::span<double> out);

}  // namespace vestige::evidence
