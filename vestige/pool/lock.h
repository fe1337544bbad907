// The claim of one process on one job: a file beside the models, kept fresh by a heartbeat.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vestige/pool/job.h"

namespace vestige::pool {

struct LockOptions {
  std::string label = {};        ///< for people: what is being made
  double stale_seconds = 60;     ///< without heartbeat for this long, the owner is dead
  double heartbeat_seconds = 2;  ///< how often the owner writes
};

/// What a lock file says.
struct LockState {
  std::string name;  ///< the file without ".lock"
  std::string host;  ///< machine() of the owner
  pid_t pid = 0;
  std::string start;  ///< platform::process_start() of the owner
  std::string label;
  Report report;
  bool live = false;
  double age_seconds = 0;  ///< since its last heartbeat, by the clock of the file system; below 0
                           ///< if the file was written in that clock's future
};

/// Whose lock it is, since when it was not heard of, and what to do if its owner is gone: for
/// people who wait for it.
std::string waiting_text(const LockState& lock, const std::filesystem::path& folder);

/// Exclusive among all processes on the folder, on any number of machines, as long as the owner's
/// heartbeat gets through; given back by the destructor.
class Lock {
 public:
  /// Makes FOLDER/NAME.lock. Nothing if a live process holds it; a dead one's is taken over. An
  /// InputError if the folder cannot be written.
  static std::optional<Lock> try_claim(const std::filesystem::path& folder, const std::string& name,
                                       const LockOptions& options = {});
  ~Lock();
  Lock(Lock&&) noexcept;
  Lock& operator=(Lock&&) = delete;

  /// What the next heartbeat tells the others; cheap.
  void report(const Report& report);

  /// False once another process has taken it for dead and over.
  bool held() const;

 private:
  struct Owner;
  explicit Lock(std::unique_ptr<Owner> owner);
  std::unique_ptr<Owner> owner_;
};

/// All locks in a folder, in the order of their names.
std::vector<LockState> locks(const std::filesystem::path& folder, double stale_seconds);

/// Removes the locks of the dead, also of jobs that nobody will claim again.
void remove_stale_locks(const std::filesystem::path& folder, double stale_seconds);

}  // namespace vestige::pool
