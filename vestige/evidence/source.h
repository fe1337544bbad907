// One keyed view of evidence, whether it is a folder, a .npz or a .safetensors file.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "vestige/evidence/formats/array.h"

namespace vestige::evidence {

/// Arrays by key, a relative path with '/' and without ending ("labels/forget"), and the other
/// files of the folder or archive by their full relative path ("accuracy.json"). Nothing is read
/// before it is asked for.
class Source {
 public:
  const std::filesystem::path& path() const { return path_; }
  /// A folder that all arrays lie in and that keys leave out, "run1/"; usually empty.
  const std::string& prefix() const { return prefix_; }

  /// Keys of all arrays, in order.
  std::vector<std::string> keys() const;
  /// Relative paths of all files that are not arrays, in order.
  std::vector<std::string> files() const;
  bool has(const std::string& key) const { return arrays_.count(key) > 0; }
  bool has_file(const std::string& file) const { return files_.count(file) > 0; }

  /// Takes in the arrays and files of another source; of what both have, the other's.
  void add(const Source& other);

  /// The array; mapped where the file allows. InputError names the file.
  Array load(const std::string& key) const;
  /// The bytes of a file that is not an array.
  std::string read(const std::string& file) const;
  /// Where the array lies, relative to path(): "labels/forget.npy"; the key itself in an archive.
  const std::string& file_of(const std::string& key) const;
  /// Digest of the file behind an array, or of the array's bytes in an archive.
  std::string sha256(const std::string& key) const;
  /// Digest of a file that is not an array.
  std::string sha256_file(const std::string& file) const;

 private:
  friend Source open_source(const std::filesystem::path& path);
  friend Source memory_source(std::string name, const std::map<std::string, Array>& arrays,
                              const std::map<std::string, std::string>& files);
  friend class FolderReader;

  struct Entry {
    std::string file;
    std::function<Array()> load;
    std::function<std::string()> sha256;
  };
  const Entry& find(const std::string& key) const;
  /// Takes the folder that all arrays share off their keys, if that makes them evidence.
  void drop_prefix();

  std::filesystem::path path_;
  std::string prefix_;
  std::map<std::string, Entry> arrays_;
  std::map<std::string, std::function<std::string()>> files_;
};

/// A folder: every .npy and .csv below it is an array; hidden files and folders are passed over,
/// links are followed but not in circles.
Source open_source(const std::filesystem::path& path);

/// Arrays by key and other files by path that are in memory already. `name` stands for the path in
/// results and messages. Digests and file names are those of the folder that write_npy would make,
/// so that evidence gives the same results before and after it is saved.
Source memory_source(std::string name, const std::map<std::string, Array>& arrays,
                     const std::map<std::string, std::string>& files);

}  // namespace vestige::evidence
