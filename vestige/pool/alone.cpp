// A lock per machine.
#include "vestige/pool/alone.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "vestige/pool/process.h"

namespace vestige::pool {
namespace fs = std::filesystem;
namespace {

std::string alone_name() { return "alone-" + machine(); }

}  // namespace

Alone::Alone(Lock lock, fs::path folder, double stale_seconds)
    : lock_(std::move(lock)), folder_(std::move(folder)), stale_seconds_(stale_seconds) {}

std::optional<Alone> Alone::try_claim(const fs::path& folder, const LockOptions& options) {
  std::optional<Lock> lock = Lock::try_claim(folder, alone_name(), options);
  if (!lock) return std::nullopt;
  return Alone(*std::move(lock), folder, options.stale_seconds);
}

void Alone::wait_for_others(const std::string& own, const std::function<void()>& rest) const {
  const auto is_other = [&](const LockState& lock) {
    return lock.live && lock.host == machine() && lock.name != own && lock.name != alone_name();
  };
  for (;;) {
    const std::vector<LockState> held = locks(folder_, stale_seconds_);
    if (std::none_of(held.begin(), held.end(), is_other)) return;
    rest();
  }
}

bool somebody_is_alone(const fs::path& folder, double stale_seconds) {
  std::error_code ignored;
  if (!fs::exists(folder / (alone_name() + ".lock"), ignored)) return false;
  const std::vector<LockState> held = locks(folder, stale_seconds);
  return std::any_of(held.begin(), held.end(),
                     [](const LockState& lock) { return lock.live && lock.name == alone_name(); });
}

}  // namespace vestige::pool
