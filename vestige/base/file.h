// Files: reading whole, and writing so that a reader never sees half a file and a failure leaves
// what was there before.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/base/descriptor.h"

namespace vestige {

/// Takes the next piece of a text.
using TextSink = std::function<void(std::string_view piece)>;

/// What a pipe or a device may give: /dev/zero never ends.
inline constexpr std::size_t kMostOfStream = std::size_t{1} << 30U;

/// The whole file as bytes; InputError if it cannot be read.
std::string read_file(const std::filesystem::path& path);
/// InputError also if it is larger than `most`.
std::string read_file(const std::filesystem::path& path, std::size_t most);

/// Writes a temporary file beside `path`, syncs it and renames it over `path`; who may read it
/// stays as it was. What is no plain file (/dev/null, a named pipe) is written to and stays what it
/// is.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Makes a folder and those above it. InputError with the remedy; `shown` is the name that people
/// gave, where that differs.
void make_folder(const std::filesystem::path& folder, const std::filesystem::path& shown = {});

/// Writes a file without syncing it: for many files of a folder that gets its name only after
/// sync_file_system().
void write_unsynced(const std::filesystem::path& path, std::string_view content);
/// Everything written so far to the file system of `path` is on disk afterwards.
void sync_file_system(const std::filesystem::path& path);

/// Makes renames in a folder durable; a file system that cannot do it is no reason to fail.
void sync_folder(const std::filesystem::path& folder);

/// Several files of one folder that appear together: all are written under temporary names first,
/// and only when every one is on disk are they renamed. Without commit() nothing is left behind,
/// not even the folder if it was made here.
class FileSet {
 public:
  /// Who else may write to the folder until commit() or the end of the FileSet.
  enum class Others { allowed, refused };

  /// Refuses a folder that exists and is not empty unless `force`; only the files that are added
  /// are ever replaced. With Others::refused, it also refuses a folder that another FileSet of this
  /// kind holds, in any process: two audits into one folder would replace each other's files.
  FileSet(std::filesystem::path folder, bool force, Others others = Others::allowed);
  ~FileSet();
  FileSet(const FileSet&) = delete;
  FileSet& operator=(const FileSet&) = delete;

  /// Writes `content` under a temporary name. `name` may be in a subfolder, which is made.
  void add(const std::string& name, std::string_view content);

  /// The same of a text that is never held as a whole: `write` hands over one piece after the
  /// other.
  void add_pieces(const std::string& name, const std::function<void(const TextSink& sink)>& write);

  /// commit() removes this file, which an earlier run left and this one does not make; nothing
  /// happens where there is none.
  void remove(const std::string& name);

  const std::filesystem::path& folder() const { return folder_; }

  /// Gives all added files their names. If one cannot get it, those that were there are put back.
  void commit();

 private:
  /// Where `name` will be, after its folder was made.
  std::filesystem::path place_of(const std::string& name);
  void make_folders(const std::filesystem::path& folder);
  void remove_made();
  void check_folder(bool force) const;
  void hold(bool force);
  void let_go();

  struct Pending {
    std::filesystem::path temporary;  ///< empty: the target is removed
    std::filesystem::path target;
    std::filesystem::path before{};  ///< another name of what was there; only within commit()
  };
  static bool rename(Pending& file);
  static void take_back(const std::vector<Pending>& files, std::size_t count);
  std::filesystem::path folder_;
  std::vector<std::filesystem::path> made_;
  std::vector<Pending> pending_;
  /// The locked file kLockFile of the folder. The system unlocks it when its process ends, however
  /// that happens, so that no dead process keeps others out.
  Descriptor held_;
};

}  // namespace vestige
