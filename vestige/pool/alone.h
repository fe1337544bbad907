// A second try of a job at which a process was killed: alone on this machine, so that it has all of
// its memory.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "vestige/pool/lock.h"

namespace vestige::pool {

/// While it lives, no other worker of this machine begins a job of the pool.
class Alone {
 public:
  /// Nothing if another worker of this machine is, or is about to be, alone.
  static std::optional<Alone> try_claim(const std::filesystem::path& folder,
                                        const LockOptions& options);

  /// Waits until nobody else on this machine is at a job; `own` is the lock that the caller holds.
  /// Calls `rest` between looks.
  void wait_for_others(const std::string& own, const std::function<void()>& rest) const;

 private:
  Alone(Lock lock, std::filesystem::path folder, double stale_seconds);

  Lock lock_;
  std::filesystem::path folder_;
  double stale_seconds_;
};

/// Whether a worker of this machine asked to be alone; cheap where none did.
bool somebody_is_alone(const std::filesystem::path& folder, double stale_seconds);

}  // namespace vestige::pool
