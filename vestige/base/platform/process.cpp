// posix_spawn and what Linux says in /proc; other systems answer that they do not know.
#include "vestige/base/platform/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

extern char** environ;

namespace vestige::platform {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwnProgram = "/proc/self/exe";

/// What a file of /proc says; empty if it cannot be read.
std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Null-terminated pointers into `texts`, as the system wants them.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// Frees what describes a child.
struct Actions {
  Actions() {
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawnattr_init(&attributes);
  }
  ~Actions() {
    ::posix_spawn_file_actions_destroy(&files);
    ::posix_spawnattr_destroy(&attributes);
  }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};

}  // namespace

fs::path own_program() {
  std::error_code unknown;
  return fs::read_symlink(kOwnProgram, unknown);
}

fs::path own_program_bytes() { return kOwnProgram; }

std::vector<std::string> environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    entries.emplace_back(*entry);
  }
  return entries;
}

Started start(const Launch& launch) {
  Actions actions;
  if (launch.own_group) {
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setflags(&actions.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    ::posix_spawnattr_setpgroup(&actions.attributes, 0);
    ::posix_spawnattr_setsigmask(&actions.attributes, &none);
  }
  if (!launch.input.empty()) {
    ::posix_spawn_file_actions_addopen(&actions.files, STDIN_FILENO, launch.input.c_str(), O_RDONLY,
                                       0);
  }
  if (!launch.output.empty()) {
    ::posix_spawn_file_actions_addopen(&actions.files, STDOUT_FILENO, launch.output.c_str(),
                                       O_WRONLY | O_CREAT | O_APPEND, 0666);
  }
  if (launch.output_to >= 0) {
    ::posix_spawn_file_actions_adddup2(&actions.files, launch.output_to, STDOUT_FILENO);
  }
  if (launch.errors_to_output) {
    ::posix_spawn_file_actions_adddup2(&actions.files, STDOUT_FILENO, STDERR_FILENO);
  }
  if (!launch.folder.empty()) {
    ::posix_spawn_file_actions_addchdir_np(&actions.files, launch.folder.c_str());
  }
  std::vector<std::string> arguments = launch.arguments;
  std::vector<std::string> variables = launch.environment;
  Started started;
  started.error =
      ::posix_spawn(&started.child, launch.program.c_str(), &actions.files, &actions.attributes,
                    pointers(arguments).data(), pointers(variables).data());
  return started;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void become(const fs::path& program, char** arguments) { ::execvp(program.c_str(), arguments); }

void become(const fs::path& program, std::vector<std::string> arguments) {
  become(program, pointers(arguments).data());
}

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
#if defined(__linux__)
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
#else
  if (::pipe(ends.data()) != 0) return std::nullopt;
  for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
#endif
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

void end_with_parent() {
#if defined(__linux__)
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
}

std::string process_space() {
  std::error_code unknown;
  return text_of("/proc/sys/kernel/random/boot_id") +
         fs::read_symlink("/proc/self/ns/pid", unknown).string();
}

std::string process_start(pid_t process) {
  // "PID (name) S ppid ...": the name may hold anything, so count from its last parenthesis; the
  // start time is field 22, the state is field 3.
  const std::string text = text_of(fmt::format("/proc/{}/stat", process));
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos) return {};
  std::istringstream fields(text.substr(end + 1));
  std::string field;
  for (int number = 3; number <= 22; ++number) {
    fields >> field;
    if (number == 3 && (field == "Z" || field == "X")) return {};
  }
  return field;
}

bool processes_are_shown() {
  std::error_code unknown;
  return fs::exists(fmt::format("/proc/{}", ::getpid()), unknown);
}

std::size_t memory_kills() {
  std::ifstream file("/proc/vmstat");
  std::size_t count = 0;
  for (std::string word; file >> word >> count;) {
    if (word == "oom_kill") return count;
  }
  return 0;
}

}  // namespace vestige::platform
