// NumPy's .npy files, versions 1.0 to 3.0: numbers, booleans and fixed-width strings.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "vestige/evidence/formats/array.h"

namespace vestige::evidence {

/// The array of a file. Native little-endian C-order numbers stay in the mapped file; big-endian,
/// Fortran-order and unicode arrays are converted to a copy.
Array read_npy(const std::filesystem::path& path);

/// The array in `bytes`, which `owner` keeps alive; `source_name` is the file that errors name.
Array parse_npy(std::span<const std::byte> bytes, std::shared_ptr<const void> owner,
                std::string_view source_name);

/// How many bytes the whole file must have according to its header. `start` holds the first bytes,
/// at least the header if the file has that many.
std::size_t npy_file_size(std::span<const std::byte> start, std::string_view source_name);

/// A version 1.0 file. Text is written as unicode (U); bfloat16, which NumPy lacks, as float32.
std::string write_npy(const Array& array);

}  // namespace vestige::evidence
