// isatty, and TIOCGWINSZ where there is one.
#include "vestige/base/platform/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace vestige::platform {

bool output_is_terminal() { return ::isatty(STDOUT_FILENO) != 0; }

bool errors_are_on_terminal() { return ::isatty(STDERR_FILENO) != 0; }

namespace {

std::size_t width_of([[maybe_unused]] int descriptor) {
#if defined(TIOCGWINSZ)
  winsize size{};
  if (::isatty(descriptor) != 0 && ::ioctl(descriptor, TIOCGWINSZ, &size) == 0) return size.ws_col;
#endif
  return 0;
}

}  // namespace

std::size_t terminal_width() { return width_of(STDOUT_FILENO); }

std::size_t errors_width() { return width_of(STDERR_FILENO); }

}  // namespace vestige::platform
