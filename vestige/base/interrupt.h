// Ctrl-C as an exception: the handler only sets a flag, long loops look at it.
#pragma once

namespace vestige {

/// SIGINT and SIGTERM set a flag; a second one ends the process at once.
void install_interrupt_handler();

/// True once a signal arrived.
bool interrupted();

/// Throws Interrupted once a signal arrived.
void check_interrupt();

}  // namespace vestige
