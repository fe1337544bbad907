// A file's bytes as read-only memory, without reading them first.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace vestige::evidence {

/// Bytes and what keeps them alive.
struct MappedFile {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;

  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

/// Maps a whole regular file; InputError if it is missing, unreadable, a folder, not a regular
/// file, or empty. The file must not shrink while it is mapped.
MappedFile map_file(const std::filesystem::path& path);

}  // namespace vestige::evidence
