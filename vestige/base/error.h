// The caller's errors: exceptions whose text is one sentence that names the thing, the value and
// the remedy. Our own errors are asserts. A valid input without an answer is NaN, not an error.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace vestige {

/// Something the caller can put right: a bad file, a bad argument, a full disk. Exit code 2.
class InputError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Ctrl-C arrived. Exit code 130; nothing was written.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

template <typename... Args>
[[noreturn]] void fail(fmt::format_string<Args...> text, Args&&... args) {
  throw InputError(fmt::format(text, std::forward<Args>(args)...));
}

template <typename... Args>
void require(bool condition, fmt::format_string<Args...> text, Args&&... args) {
  if (!condition) throw InputError(fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace vestige
