// The pool on disk: one folder per model, named by hash, that appears whole or not at all.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "vestige/pool/job.h"

namespace vestige::pool {

/// One model of the pool, as its entry.json describes it.
struct Entry {
  std::string name;
  std::string label;
  Json what;
  Json facts;
  std::uint64_t bytes = 0;  ///< of its files
};

/// Any number of processes may use one folder, each with its own Store; one Store is for one
/// thread.
class Store {
 public:
  /// Makes the folder if it is not there; one that cannot be written is an InputError when
  /// something is put, not here.
  explicit Store(std::filesystem::path folder);

  /// For whoever makes models: true if the model is there and its checksums hold. A damaged or
  /// foreign entry is moved aside (<name>.damaged.<n>) with a warning on stderr, and the answer is
  /// false, so that it is made again. What was found sound once is not read again by this object.
  bool has(const std::string& name);

  /// For whoever reads models: the model if it is there, nothing if it was not made yet. A damaged
  /// or foreign entry (its json, or a file that is missing or of another size) is an InputError
  /// that names the file and what to delete; `read` checks the bytes.
  std::optional<Entry> find(const std::string& name) const;

  /// Bytes of one file of a model; InputError if the model or the file is missing or damaged.
  std::string read(const std::string& name, const std::string& file) const;
  /// All models, sorted by label, then name. Unreadable ones are left out, with a warning.
  std::vector<Entry> entries() const;

  /// Writes all files and entry.json into a temporary folder, syncs and renames it. If the model
  /// appeared meanwhile, that one stays. InputError if the folder cannot be written or is full;
  /// nothing is left behind then.
  void put(const Identity& identity, const Product& product);

  const std::filesystem::path& folder() const { return folder_; }

 private:
  void set_aside(const std::string& name, const std::string& problem) const;

  std::filesystem::path folder_;
  mutable std::set<std::string> verified_;
};

}  // namespace vestige::pool
