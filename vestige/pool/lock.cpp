// Lock files. A lock is born by O_EXCL. It dies by unlink, which only the process that holds
// flock() on the very file may do: two processes that both find it stale cannot remove each other's
// new one, and an owner that was taken for dead cannot remove its successor's. The heartbeat writes
// through the open descriptor, never by name, so it cannot bring back a lock that was taken away.
#include "vestige/pool/lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "vestige/base/descriptor.h"
#include "vestige/base/error.h"
#include "vestige/base/nesting.h"
#include "vestige/base/platform/process.h"
#include "vestige/pool/process.h"

namespace vestige::pool {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kSuffix = ".lock";
/// A lock that says nothing: its owner died between making and filling it.
constexpr double kEmptySeconds = 5;
/// Contents are filled up with blanks to this, so that a shorter text leaves no rest of a longer.
constexpr std::size_t kBlock = 1024;

std::string content(const std::string& label, const Report& report) {
  Json json;
  json["host"] = machine();
  json["pid"] = ::getpid();
  json["start"] = platform::process_start(::getpid());
  json["label"] = label;
  json["images"] = json_number(report.images);
  json["total_images"] = json_number(report.total_images);
  json["loss"] = json_number(report.loss);
  json["accuracy"] = json_number(report.accuracy);
  json["updated"] = std::chrono::duration_cast<std::chrono::seconds>(
                        std::chrono::system_clock::now().time_since_epoch())
                        .count();
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() / kBlock + 1) * kBlock, ' ');
  text.back() = '\n';
  return text;
}

/// 0, or errno. One block in one call, so that a reader sees the old text or the new.
int write_content(int file, const std::string& text) {
  const ssize_t written = ::pwrite(file, text.data(), text.size(), 0);
  if (written < 0) return errno;
  if (static_cast<std::size_t>(written) != text.size()) return ENOSPC;
  return ::futimens(file, nullptr) == 0 ? 0 : errno;
}

double number(const Json& json, const char* key) {
  const Json value = json.value(key, Json());
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

/// Nothing if the file is empty, half-written or not ours.
std::optional<LockState> parsed(int file) {
  std::string text(16 * kBlock, '\0');
  const ssize_t count = ::pread(file, text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  const Json json = parse_json(text);
  if (!json.is_object() || !json.value("host", Json()).is_string() ||
      !json.value("start", Json()).is_string() || !json.value("label", Json()).is_string() ||
      !json.value("pid", Json()).is_number_integer()) {
    return std::nullopt;
  }
  LockState state;
  state.host = json["host"];
  state.pid = json["pid"];
  state.start = json["start"];
  state.label = json["label"];
  state.report = {number(json, "images"), number(json, "total_images"), number(json, "loss"),
                  number(json, "accuracy")};
  return state;
}

/// Seconds since the file was written, by the file system's clock; 0 if nobody can say.
double age_of(int file, const fs::path& folder) {
  struct stat now {};
  if (::fstat(file, &now) != 0) return 0;
  const double written =
      static_cast<double>(now.st_mtim.tv_sec) + 1e-9 * static_cast<double>(now.st_mtim.tv_nsec);
  return file_system_now(folder) - written;
}

bool stale(int file, const std::optional<LockState>& state, const fs::path& folder,
           double stale_seconds) {
  if (state && process_gone(state->host, state->pid, state->start)) return true;
  const double allowed = state ? stale_seconds : std::min(stale_seconds, kEmptySeconds);
  return age_of(file, folder) > allowed;
}

/// Whether `path` still names the open file; the descriptor keeps its inode number from reuse.
bool same_file(int file, const fs::path& path) {
  struct stat open_file {};
  struct stat named {};
  return ::fstat(file, &open_file) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
}

/// The right to unlink the file. A file system without flock() gives it to everybody: two processes
/// may then, rarely, make the same model; the store keeps the first.
bool guard(int file, int how) {
  while (::flock(file, how) != 0) {
    if (errno == EINTR) continue;
    return errno != EWOULDBLOCK;
  }
  return true;
}

Descriptor open_lock(const fs::path& path) {
  // By name every time: on NFS only opening asks the server for the file's age. Writable where
  // possible: on NFS flock() wants that.
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  return Descriptor(file >= 0 || errno == ENOENT ? file
                                                 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

/// True if the way is free: the lock is gone or was stale and is removed.
bool clear_stale(const fs::path& path, double stale_seconds) {
  const Descriptor file = open_lock(path);
  if (file.get() < 0) return errno == ENOENT;
  const fs::path folder = path.parent_path();
  if (!stale(file.get(), parsed(file.get()), folder, stale_seconds)) return false;
  if (!guard(file.get(), LOCK_EX | LOCK_NB)) return false;
  if (!same_file(file.get(), path)) return false;
  if (!stale(file.get(), parsed(file.get()), folder, stale_seconds)) return false;
  return ::unlink(path.c_str()) == 0;
}

/// Calls action(path) for every lock file.
template <typename Action>
void for_each_lock(const fs::path& folder, const Action& action) {
  std::error_code error;
  std::vector<fs::path> paths;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == kSuffix) paths.push_back(entry->path());
  }
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) action(path);
}

}  // namespace

struct Lock::Owner {
  fs::path path;
  Descriptor file;
  LockOptions options;
  std::mutex mutex;  // of report, stop
  std::condition_variable wake;
  Report report;
  bool stop = false;
  std::thread heart;

  void beat() {
    std::unique_lock<std::mutex> hold(mutex);
    const std::chrono::duration<double> pause(options.heartbeat_seconds);
    while (!wake.wait_for(hold, pause, [this] { return stop; })) {
      const std::string text = content(options.label, report);
      hold.unlock();
      // A full disk does not keep the age from being renewed.
      if (write_content(file.get(), text) != 0) ::futimens(file.get(), nullptr);
      hold.lock();
    }
  }
};

std::optional<Lock> Lock::try_claim(const fs::path& folder, const std::string& name,
                                    const LockOptions& options) {
  const fs::path path = folder / (name + std::string(kSuffix));
  const auto give_up = [&](int code) {
    // A folder that is not there could not be made, and the reason for that is what people need.
    std::error_code error;
    if (code == ENOENT && fs::create_directories(folder, error)) fs::remove(folder, error);
    if (error) code = error.value();
    fail(
        "cannot write to the pool {}: {}; make room, make it writable or choose another folder, "
        "finished models are kept",
        folder.string(), std::strerror(code));
  };
  for (int attempt = 0; attempt < 3; ++attempt) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.get() >= 0) {
      const int code = write_content(file.get(), content(options.label, {}));
      if (code != 0) {
        ::unlink(path.c_str());
        give_up(code);
      }
      auto owner = std::make_unique<Owner>();
      owner->path = path;
      owner->file = std::move(file);
      owner->options = options;
      return Lock(std::move(owner));
    }
    if (errno != EEXIST) give_up(errno);
    if (!clear_stale(path, options.stale_seconds)) return std::nullopt;
  }
  return std::nullopt;
}

Lock::Lock(std::unique_ptr<Owner> owner) : owner_(std::move(owner)) {
  owner_->heart = std::thread([state = owner_.get()] { state->beat(); });
}

Lock::Lock(Lock&&) noexcept = default;

Lock::~Lock() {
  if (!owner_) return;
  {
    const std::lock_guard<std::mutex> hold(owner_->mutex);
    owner_->stop = true;
  }
  owner_->wake.notify_all();
  owner_->heart.join();
  if (guard(owner_->file.get(), LOCK_EX) && same_file(owner_->file.get(), owner_->path)) {
    ::unlink(owner_->path.c_str());
  }
}

void Lock::report(const Report& report) {
  const std::lock_guard<std::mutex> hold(owner_->mutex);
  owner_->report = report;
}

bool Lock::held() const { return same_file(owner_->file.get(), owner_->path); }

std::vector<LockState> locks(const fs::path& folder, double stale_seconds) {
  std::vector<LockState> found;
  for_each_lock(folder, [&](const fs::path& path) {
    const Descriptor file = open_lock(path);
    if (file.get() < 0) return;
    const std::optional<LockState> state = parsed(file.get());
    LockState lock = state.value_or(LockState{});
    lock.name = path.stem().string();
    lock.live = !stale(file.get(), state, folder, stale_seconds);
    lock.age_seconds = age_of(file.get(), folder);
    found.push_back(std::move(lock));
  });
  return found;
}

std::string waiting_text(const LockState& lock, const fs::path& folder) {
  const std::string heard =
      lock.age_seconds < -kEmptySeconds
          ? fmt::format(
                "was last heard of {:.0f} s in the future, so its clock or that of the disk "
                "is wrong",
                -lock.age_seconds)
          : fmt::format("was last heard of {:.0f} s ago", std::max(0.0, lock.age_seconds));
  return fmt::format(
      "waiting for {}: process {} on {} is at it and {}; if that process is gone, remove {}",
      lock.label, lock.pid, lock.host, heard, (folder / (lock.name + ".lock")).string());
}

void remove_stale_locks(const fs::path& folder, double stale_seconds) {
  for_each_lock(folder, [&](const fs::path& path) { clear_stale(path, stale_seconds); });
}

}  // namespace vestige::pool
