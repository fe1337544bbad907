// Ctrl-C as an exception: the handler only sets a flag, long loops look at it.
#pragma once

namespace vestige {

/// SIGINT and SIGTERM set a flag; a second one ends the process at once.
void install_interrupt_handler();

/// True once a signal arrived.
bool interrupted();

/// Throws Interrupted once a signal arrived.
void check_interrupt();

/// Ctrl-C is caught while one lives; then its handler is what it was, and the flag is down again.
/// Signals belong to the process: where several overlap (audits in several threads), Ctrl-C ends
/// all of them, and the last one puts the handler back. For programs whose signals are otherwise
/// somebody else's, such as a Python interpreter.
class InterruptScope {
 public:
  InterruptScope();
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
};

}  // namespace vestige
