// NumPy's .npz archives: a zip of .npy files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "vestige/evidence/formats/array.h"

namespace vestige::evidence {

/// An open archive; copies share it, and it may be used from several threads.
class Npz {
 public:
  explicit Npz(const std::filesystem::path& path);
  /// An archive in memory, which `owner` keeps alive; `source_name` is the file that errors name.
  Npz(std::span<const std::byte> bytes, std::shared_ptr<const void> owner, std::string source_name);

  /// Names of the arrays, without ".npy", in order.
  const std::vector<std::string>& keys() const;
  /// Names of all other members, in order.
  const std::vector<std::string>& files() const;

  /// A stored member is a view of the archive, a deflated one is inflated to memory. The member's
  /// checksum is verified either way.
  Array load(const std::string& key) const;
  /// The bytes of one of files().
  std::string read(const std::string& file) const;

 private:
  class Archive;
  std::shared_ptr<Archive> archive_;
};

}  // namespace vestige::evidence
