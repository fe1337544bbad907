// An evidence folder in the making: it gets its name only when it is complete, and remembers what
// it was made of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vestige::collect {

/// Written beside the evidence, which does not read it: a hash of everything that went into the
/// folder, and the size of every file.
inline constexpr const char* kRecord = "collected.json";

/// What the folder remembers of how it was made, besides its files.
struct Record {
  std::string key;                    ///< hash of everything that went into it
  std::size_t models = 0;             ///< that are in it
  std::vector<std::string> left_out;  ///< models whose outputs are not finite
};

class Folder {
 public:
  /// `out` must not exist unless `force`, and must then be an evidence folder or empty. What killed
  /// processes left of the same folder is removed.
  Folder(std::filesystem::path out, bool force);
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  /// Safe from any thread.
  void write(const std::string& name, std::string_view content);

  /// Takes away what was written below this name.
  void drop(const std::string& name);

  /// Writes the record and gives the folder its name.
  void commit(const Record& record);

 private:
  std::filesystem::path out_, temporary_;
  std::map<std::string, std::uint64_t> sizes_;
  std::mutex mutex_;  ///< of sizes_
};

/// The record of `out` if it was made with this key and all its files are there in their sizes.
std::optional<Record> record_of(const std::filesystem::path& out, const std::string& key);

}  // namespace vestige::collect
