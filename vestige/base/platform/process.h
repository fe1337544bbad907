// This process, those that it starts, and others on the machine.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/base/descriptor.h"

namespace vestige::platform {

/// The program that runs: the file that it was started from. Empty where the system does not say.
std::filesystem::path own_program();

/// What to open or start for the very program that runs, even after another took its file's place.
std::filesystem::path own_program_bytes();

/// "NAME=value", of this process.
std::vector<std::string> environment();

/// A program to start.
struct Launch {
  std::filesystem::path program;
  std::vector<std::string> arguments;  ///< the first is what it is called
  std::vector<std::string> environment = platform::environment();
  std::filesystem::path input{};   ///< what it reads; empty: what this process reads
  std::filesystem::path output{};  ///< takes what it prints, at its end; empty: as this process
  bool errors_to_output = false;   ///< what it says of errors goes to `output` as well
  int output_to = -1;              ///< an open descriptor that takes what it prints instead
  std::filesystem::path folder{};  ///< where it runs; empty: here
  bool own_group = false;          ///< a process group of its own, with no signal blocked
};

/// A child, or why there is none (an errno).
struct Started {
  pid_t child = -1;
  int error = 0;
};

/// Without copying this process, whose threads a copy would lack.
Started start(const Launch& launch);

/// Waits for a child: its exit code, or 128 and the signal that ended it.
int wait_for(pid_t child);

/// This process goes on as another program; a name without a slash is looked for on the PATH.
/// Returns only where that is not possible; errno says why. The first argument is what it is
/// called.
void become(const std::filesystem::path& program, char** arguments);
void become(const std::filesystem::path& program, std::vector<std::string> arguments);

struct Pipe {
  Descriptor read;
  Descriptor write;
};

/// A pipe that programs started from here do not inherit; nothing if the system refuses, and errno
/// says why.
std::optional<Pipe> make_pipe();

/// Ends this process when the one that started it ends, where the system can do so.
void end_with_parent();

/// Differs between boots of the machine and between spaces of process ids; empty where the system
/// does not say.
std::string process_space();

/// Start time of a process in clock ticks since boot, which tells it from a later one with the same
/// id; empty if there is no such process, only its remains (zombie), or the system does not say.
std::string process_start(pid_t process);

/// Whether process_start() would see a process if it were there.
bool processes_are_shown();

/// How many processes the system has ended for want of memory since it started; 0 if unknown.
std::size_t memory_kills();

}  // namespace vestige::platform
