// The signal flag behind check_interrupt.
#include "vestige/base/interrupt.h"

#include <atomic>
#include <csignal>
#include <mutex>

#include "vestige/base/error.h"

namespace vestige {
namespace {

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may only touch such a flag");

struct {
  std::mutex mutex;
  int alive = 0;
  void (*before)(int) = SIG_DFL;
} scopes;

void on_signal(int number) {
  if (flag.exchange(true)) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

}  // namespace

void install_interrupt_handler() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

bool interrupted() { return flag.load(std::memory_order_relaxed); }

InterruptScope::InterruptScope() {
  const std::lock_guard lock(scopes.mutex);
  if (scopes.alive++ == 0) scopes.before = std::signal(SIGINT, on_signal);
}

InterruptScope::~InterruptScope() {
  const std::lock_guard lock(scopes.mutex);
  if (--scopes.alive > 0) return;
  std::signal(SIGINT, scopes.before);
  flag = false;
}

void check_interrupt() {
  if (interrupted()) throw Interrupted();
}

}  // namespace vestige
