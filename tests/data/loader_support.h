// What the tests of the loaders share: options from JSON, and errors of a load.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support.h"
#include "vestige/base/file.h"
#include "vestige/data/dataset.h"

namespace vestige::testing {

inline data::Dataset load(const Json& table, const Context& context = {}) {
  Options options(table, "recipe.toml: [data]");
  return data::load(options, context);
}

inline std::string load_error(const Json& table) {
  return error_of([&] { load(table); });
}

using Labels = std::vector<std::int64_t>;
using Bytes = std::vector<std::uint8_t>;

/// Writes a file without vestige::write_file's sync, which many small files would wait for.
inline void put_file(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(content.data(), static_cast<std::streamsize>(content.size()));
  ASSERT_TRUE(stream.flush().good()) << path;
}

/// Bytes as text for a file.
inline std::string text_of(const std::vector<std::uint8_t>& bytes) {
  return {bytes.begin(), bytes.end()};
}

}  // namespace vestige::testing
