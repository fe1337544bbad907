// Evidence that an importer puts together in memory before any file is written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace vestige::importing {

class Draft {
 public:
  /// ROLE/NAME/losses/forget and the like, float64 [values.size() / columns, columns], or
  /// [values.size()] for one column.
  void put(const std::string& key, std::vector<double> values, std::size_t columns = 1);
  void put(const std::string& key, std::vector<std::int64_t> values);
  /// Lines of ROLE/NAME/generated/forget.txt; white space inside a line becomes one blank.
  void put_lines(const std::string& file, const std::vector<std::string>& lines);
  /// A line of evidence.toml: losses = "sequence".
  void set(const std::string& key, std::string_view value);
  /// A line of a section of evidence.toml: [scores] judge = "higher".
  void set(const std::string& section, const std::string& key, std::string_view value);

  bool empty() const { return files_.empty(); }
  /// Writes all files at once; a folder that exists and is not empty is refused unless `force`.
  void write(const std::filesystem::path& folder, bool force) const;
  /// Adds to the models of evidence that exists. Refused: models that it does not have, files that
  /// it has (unless `force`), settings that say otherwise.
  void add(const std::filesystem::path& folder, bool force) const;

 private:
  std::map<std::string, std::string> files_;  ///< path -> bytes
  std::map<std::string, std::string> settings_;
  std::map<std::string, std::map<std::string, std::string>> sections_;
};

}  // namespace vestige::importing
