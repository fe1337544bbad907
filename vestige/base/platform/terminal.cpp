// isatty, and TIOCGWINSZ where there is one.
#include "vestige/base/platform/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace vestige::platform {

bool output_is_terminal() { return ::isatty(STDOUT_FILENO) != 0; }

bool errors_are_on_terminal() { return ::isatty(STDERR_FILENO) != 0; }

std::size_t terminal_width() {
#if defined(TIOCGWINSZ)
  winsize size{};
  if (output_is_terminal() && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) return size.ws_col;
#endif
  return 0;
}

}  // namespace vestige::platform
