// Running a program: its output, its exit code, and what happens to it on the way.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace vestige::testing {

/// How a program ended.
struct Finished {
  int code = -1;    ///< exit code; -1 if a signal ended it
  int signal = 0;   ///< the signal that ended it, or 0
  std::string out;  ///< standard output
  std::string err;  ///< standard error
};

struct ProcessOptions {
  std::function<void()> in_child = {};            ///< before the program starts: limits, user
  std::function<void(pid_t)> while_running = {};  ///< in the parent: signals
  std::string stdout_file = {};                   ///< written instead of being captured
};

/// Runs `program` with `arguments` and waits for it. The program is opened before in_child, so that
/// a user who may not see its folder can still run it.
Finished run_program(const std::string& program, const std::vector<std::string>& arguments,
                     const ProcessOptions& options = {});

}  // namespace vestige::testing
