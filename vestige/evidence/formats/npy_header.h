// The header of a .npy file: a Python dictionary with the keys descr, fortran_order and shape.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/evidence/formats/array.h"

namespace vestige::evidence {

struct NpyHeader {
  DType dtype = DType::float64;
  std::size_t item_size = 0;  ///< bytes per item as stored
  bool unicode = false;       ///< text as 4-byte code points, not as bytes
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
  std::size_t data_start = 0;  ///< bytes before the data
  std::size_t data_size = 0;   ///< bytes that shape and dtype need
};

/// InputError in one sentence if `bytes` does not begin with a header that can be read.
NpyHeader parse_npy_header(std::span<const std::byte> bytes, std::string_view source_name);

}  // namespace vestige::evidence
