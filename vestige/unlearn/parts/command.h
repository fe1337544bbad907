// A shell command in a folder, with a time limit, stopped with all of its children.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace vestige::unlearn {

struct CommandResult {
  int code = 0;            ///< exit code; 128 + number if a signal ended it
  bool timed_out = false;  ///< stopped at the limit
  double seconds = 0;
};

/// Runs `sh -c command sh FOLDER` with the folder as working directory, as $1 and as
/// $VESTIGE_FOLDER, without input, with stdout and stderr in FOLDER/log.txt. `tick` is called a few
/// times a second; if it throws, the command is stopped and the exception goes on. Stopping is
/// SIGTERM to its process group and, two seconds later, SIGKILL. Whatever the command left running
/// in its process group is killed at its end.
CommandResult run_command(const std::string& command, const std::filesystem::path& folder,
                          double limit_seconds, const std::function<void()>& tick);

/// The last line of a text that is not blank, without control characters, at most 200 characters.
std::string last_line(const std::string& text);

}  // namespace vestige::unlearn
