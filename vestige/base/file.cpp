// Atomic files on POSIX: temporary name, fsync, rename.
#include "vestige/base/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <system_error>
#include <utility>

#include "vestige/base/error.h"
#include "vestige/base/platform/disk.h"

namespace vestige {
namespace fs = std::filesystem;
namespace {

/// A name that nobody can foresee: in a folder that others may write to, they could put a link
/// there.
fs::path temporary_name(const fs::path& path) {
  std::random_device random;
  return path.parent_path() /
         fmt::format(".{}.{:08x}{:08x}.tmp", path.filename().string(), random(), random());
}

/// In a folder that only one FileSet may write to.
constexpr const char* kLockFile = ".vestige.lock";

// A run that was killed while it wrote leaves a temporary file or a lock; that is nothing to
// protect.
bool holds_nothing(const fs::path& folder, std::error_code& error) {
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name != kLockFile && (!name.starts_with('.') || !name.ends_with(".tmp"))) return false;
  }
  return true;
}

[[noreturn]] void fail_write(const fs::path& path, int code) {
  fail("cannot write {}: {}; nothing was changed, free the space or choose another place",
       path.string(), std::strerror(code));
}

enum class Sync { now, later };

void write_all(const Descriptor& descriptor, std::string_view content, const fs::path& target) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor.get(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_write(target, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// A file under a temporary name that is gone again unless it is finished.
class NewFile {
 public:
  NewFile(const fs::path& temporary, const fs::path& target)
      : temporary_(temporary),
        target_(target),
        descriptor_(::open(
            temporary.c_str(),
            O_WRONLY | O_CREAT | O_CLOEXEC | (temporary == target ? O_TRUNC : O_EXCL | O_NOFOLLOW),
            0666)) {
    if (descriptor_.get() < 0) fail_write(target_, errno);
    // A file that only its owner may read stays one.
    struct stat before {};
    if (temporary != target && ::stat(target.c_str(), &before) == 0 && S_ISREG(before.st_mode)) {
      ::fchmod(descriptor_.get(), before.st_mode & 0777U);
    }
  }
  ~NewFile() {
    if (!finished_) ::unlink(temporary_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  void write(std::string_view content) { write_all(descriptor_, content, target_); }

  void finish(Sync sync) {
    if (sync == Sync::now && ::fsync(descriptor_.get()) != 0) fail_write(target_, errno);
    finished_ = true;
  }

 private:
  const fs::path& temporary_;
  const fs::path& target_;
  Descriptor descriptor_;
  bool finished_ = false;
};

void write_new(const fs::path& temporary, const fs::path& target, std::string_view content,
               Sync sync) {
  NewFile file(temporary, target);
  file.write(content);
  file.finish(sync);
}

}  // namespace

void sync_folder(const fs::path& folder) {
  const Descriptor descriptor(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor.get() >= 0) ::fsync(descriptor.get());
}

void make_folder(const fs::path& folder, const fs::path& shown) {
  std::error_code error;
  fs::create_directories(folder, error);
  require(!error, "cannot make the folder {}: {}; make the place writable or choose another",
          (shown.empty() ? folder : shown).string(), error.message());
}

void write_unsynced(const fs::path& path, std::string_view content) {
  write_new(path, path, content, Sync::later);
}

void sync_file_system(const fs::path& path) {
  const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0 || !platform::sync_file_system_of(descriptor.get()))
    fail_write(path, errno);
}

std::string read_file(const fs::path& path) {
  return read_file(path, std::numeric_limits<std::size_t>::max());
}

std::string read_file(const fs::path& path, std::size_t most) {
  const Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) fail("cannot read {}: {}", path.string(), std::strerror(errno));
  struct stat status {};
  if (::fstat(descriptor.get(), &status) == 0 && !S_ISREG(status.st_mode)) {
    most = std::min(most, kMostOfStream);
  }
  const auto check_size = [&](std::uint64_t size) {
    require(size <= most, "{} has more than {} bytes, the most that is read here: check the name",
            path.string(), most);
  };
  if (S_ISREG(status.st_mode)) check_size(static_cast<std::uint64_t>(status.st_size));
  std::string content;
  std::string buffer(std::size_t{1} << 16, '\0');
  while (true) {
    const ssize_t count = ::read(descriptor.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot read {}: {}", path.string(), std::strerror(errno));
    if (count == 0) return content;
    content.append(buffer.data(), static_cast<std::size_t>(count));
    check_size(content.size());
  }
}

void write_file(const fs::path& path, std::string_view content) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
    const Descriptor descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (descriptor.get() < 0) fail_write(path, errno);
    return write_all(descriptor, content, path);
  }
  const fs::path temporary = temporary_name(path);
  write_new(temporary, path, content, Sync::now);
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int code = errno;
    ::unlink(temporary.c_str());
    fail_write(path, code);
  }
  sync_folder(path.parent_path());
}

FileSet::FileSet(fs::path folder, bool force, Others others) : folder_(std::move(folder)) {
  std::error_code error;
  require(!folder_.empty(), "the output folder's name is empty: give --out FOLDER");
  try {
    if (fs::exists(folder_, error)) {
      check_folder(force);
    } else {
      make_folders(folder_);
    }
    if (others == Others::refused) hold(force);
  } catch (...) {
    remove_made();  // no destructor runs for an object that was never made
    throw;
  }
}

void FileSet::check_folder(bool force) const {
  std::error_code error;
  require(fs::is_directory(folder_, error), "{} is a file: --out wants a folder", folder_.string());
  const bool empty = holds_nothing(folder_, error);
  require(!error, "cannot read {}: {}", folder_.string(), error.message());
  require(empty || force,
          "{} exists and is not empty: give --force to replace results in it, or another --out",
          folder_.string());
  if (::faccessat(AT_FDCWD, folder_.c_str(), W_OK | X_OK, AT_EACCESS) != 0) {
    fail("cannot write to {}: {}; choose another --out", folder_.string(), std::strerror(errno));
  }
}

void FileSet::hold(bool force) {
  const fs::path file = folder_ / kLockFile;
  while (true) {
    Descriptor own(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (own.get() < 0) fail_write(file, errno);
    while (::flock(own.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EINTR) continue;
      if (errno != EWOULDBLOCK) return;  // a file system without locks
      fail("another process is writing to {}: wait until it ends, or choose another --out",
           folder_.string());
    }
    // Whoever held it before may have removed the file between our open() and flock().
    struct stat locked {};
    struct stat named {};
    if (::fstat(own.get(), &locked) != 0 || ::stat(file.c_str(), &named) != 0 ||
        locked.st_ino != named.st_ino || locked.st_dev != named.st_dev) {
      continue;
    }
    held_ = std::move(own);
    break;
  }
  try {
    check_folder(force);  // the one before may have filled the folder
  } catch (...) {
    let_go();
    throw;
  }
}

void FileSet::let_go() {
  if (held_.get() < 0) return;
  ::unlink((folder_ / kLockFile).c_str());
  held_ = Descriptor();
}

void FileSet::make_folders(const fs::path& folder) {
  // Remember every level made here, so that a failure can take all of them back.
  std::error_code error;
  std::vector<fs::path> missing;
  for (fs::path level = folder; !level.empty() && !fs::exists(level, error);
       level = level.parent_path()) {
    missing.push_back(level);
  }
  for (auto level = missing.rbegin(); level != missing.rend(); ++level) {
    if (fs::create_directory(*level, error)) made_.push_back(*level);
    if (error) {
      fail("cannot make the folder {}: {}; choose another --out", folder.string(), error.message());
    }
  }
}

FileSet::~FileSet() {
  std::error_code ignored;
  for (const Pending& file : pending_) {
    if (!file.temporary.empty()) fs::remove(file.temporary, ignored);
  }
  let_go();
  remove_made();
}

void FileSet::remove_made() {
  std::error_code ignored;
  for (auto made = made_.rbegin(); made != made_.rend(); ++made) fs::remove(*made, ignored);
}

fs::path FileSet::place_of(const std::string& name) {
  const fs::path target = folder_ / name;
  // Found here and not by commit(), which by then may have renamed other files.
  std::error_code ignored;
  require(!fs::is_directory(target, ignored), "{} is a folder: remove it or choose another --out",
          target.string());
  make_folders(target.parent_path());
  return target;
}

void FileSet::add(const std::string& name, std::string_view content) {
  add_pieces(name, [content](const TextSink& sink) { sink(content); });
}

void FileSet::add_pieces(const std::string& name,
                         const std::function<void(const TextSink& sink)>& write) {
  const fs::path target = place_of(name);
  const fs::path temporary = temporary_name(target);
  NewFile file(temporary, target);
  write([&file](std::string_view piece) { file.write(piece); });
  file.finish(Sync::now);
  pending_.push_back({temporary, target});
}

void FileSet::remove(const std::string& name) { pending_.push_back({{}, folder_ / name}); }

/// False, with errno, where the file did not get its name.
bool FileSet::rename(Pending& file) {
  file.before = temporary_name(file.target);
  if (file.temporary.empty()) {
    if (::rename(file.target.c_str(), file.before.c_str()) == 0) return true;
    const bool none = errno == ENOENT;
    file.before.clear();
    return none;
  }
  // A second name, so that there is a file under the first one all the time. Without it (nothing
  // was there, or the file system has no links) the file cannot be put back.
  if (::link(file.target.c_str(), file.before.c_str()) != 0) file.before.clear();
  if (::rename(file.temporary.c_str(), file.target.c_str()) == 0) return true;
  const int code = errno;
  if (!file.before.empty()) ::unlink(file.before.c_str());
  errno = code;
  return false;
}

/// Puts back what was there before the first `count` files got their names.
void FileSet::take_back(const std::vector<Pending>& files, std::size_t count) {
  for (std::size_t index = count; index-- > 0;) {
    const Pending& file = files[index];
    if (!file.before.empty()) {
      ::rename(file.before.c_str(), file.target.c_str());
    } else if (!file.temporary.empty()) {
      ::unlink(file.target.c_str());
    }
  }
}

void FileSet::commit() {
  for (std::size_t index = 0; index < pending_.size(); ++index) {
    if (rename(pending_[index])) continue;
    const int code = errno;
    take_back(pending_, index);
    fail_write(pending_[index].target, code);
  }
  for (const Pending& file : pending_) {
    if (!file.before.empty()) ::unlink(file.before.c_str());
  }
  std::set<fs::path> folders = {folder_};
  for (const Pending& file : pending_) folders.insert(file.target.parent_path());
  pending_.clear();
  made_.clear();
  let_go();
  for (const fs::path& folder : folders) sync_folder(folder);
}

}  // namespace vestige
