// The signal flag behind check_interrupt.
#include "vestige/base/interrupt.h"

#include <atomic>
#include <csignal>

#include "vestige/base/error.h"

namespace vestige {
namespace {

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may only touch such a flag");

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

InterruptScope::InterruptScope() : before_(std::signal(SIGINT, on_signal)) {}

InterruptScope::~InterruptScope() {
  std::signal(SIGINT, before_);
  flag = false;
}

void check_interrupt() {
  if (interrupted()) throw Interrupted();
}

}  // namespace vestige
