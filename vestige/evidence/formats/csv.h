// A single array from CSV: numbers, one row per sample, an optional header line.
#pragma once

#include <filesystem>
#include <string_view>

#include "vestige/evidence/formats/array.h"

namespace vestige::evidence {

/// One column gives rank 1, int64 if all numbers are whole, else float64; several columns give
/// float64 [n, columns]. A first line with anything but numbers is taken for a header.
Array parse_csv(std::string_view text, std::string_view source_name);

Array read_csv(const std::filesystem::path& path);

}  // namespace vestige::evidence
