// What every fuzz target shares: a reader may refuse its input with an InputError and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>

#include "vestige/base/error.h"
#include "vestige/evidence/formats/array.h"

namespace vestige::fuzz {

inline std::span<const std::byte> bytes(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span<const std::uint8_t>(data, size));
}

inline std::string_view text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Reads everything that an array offers, so that the sanitizers see every byte of it.
inline void use(const evidence::Array& array) {
  if (array.dtype() != evidence::DType::text) {
    const std::size_t count = array.doubles().size();
    if (count != array.size()) std::abort();
  }
  try {
    if (array.strings().size() != array.size()) std::abort();
    if (array.rows() > 0) array.slice(array.rows() - 1);
  } catch (const InputError&) {
    // Floats that are not whole have no text.
  }
}

/// Runs `read`; an InputError must be one line that names the input.
template <typename Read>
int check(const Read& read) {
  try {
    read();
  } catch (const InputError& error) {
    if (std::strstr(error.what(), "fuzzed") == nullptr) std::abort();
    if (std::strchr(error.what(), '\n') != nullptr) std::abort();
  }
  return 0;
}

}  // namespace vestige::fuzz
