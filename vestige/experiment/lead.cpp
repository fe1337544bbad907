// Who leads an experiment that several equal processes work on: whoever holds the lock beside the
// results' folder, OUT.lock. A job array has no rank 0 that is sure to run, or to run first.
#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/base/interrupt.h"
#include "vestige/experiment/conductor.h"

namespace vestige::experiment {
namespace {

namespace fs = std::filesystem;

/// How long ago the holder of a lock was last heard of; nothing if there is no such lock.
std::optional<double> unheard_seconds(const fs::path& folder, const std::string& name,
                                      double stale_seconds) {
  for (const pool::LockState& lock : pool::locks(folder, stale_seconds)) {
    if (lock.name == name) return lock.age_seconds;
  }
  return std::nullopt;
}

/// Seconds by which an age must fall to be a heartbeat's doing, and not the clock's.
constexpr double kBeat = 0.5;

void pause() {
  constexpr auto kSlice = std::chrono::milliseconds(200);
  check_interrupt();
  std::this_thread::sleep_for(kSlice);
}

}  // namespace

bool Conductor::take_lead(bool wait) {
  if (leads()) return true;
  if (!crew_.elected || !results_) return false;
  const fs::path path = fs::absolute(results_->path()).lexically_normal();
  const fs::path own = path.has_filename() ? path : path.parent_path();
  const fs::path folder = own.parent_path();
  const std::string name = own.filename().string();
  make_folder(folder);
  const pool::LockOptions options{.label = fmt::format("the results in {}", path.string())};
  std::optional<double> before;
  while (true) {
    if (auto lock = pool::Lock::try_claim(folder, name, options)) {
      lead_.emplace(*std::move(lock));
      crew_.part = CrewPart::leader;
      results_->claim(settings_.force);
      return true;
    }
    if (!wait) return false;
    const std::optional<double> now = unheard_seconds(folder, name, options.stale_seconds);
    // Heard of again: it lives, and goes on alone. Else the lock is soon one of the dead.
    if (now && before && *now + kBeat < *before) return false;
    before = now;
    pause();
  }
}

}  // namespace vestige::experiment
