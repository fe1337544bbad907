// Spawning, waiting and stopping.
#include "vestige/unlearn/parts/command.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "vestige/base/error.h"

namespace vestige::unlearn {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kGrace(2);
constexpr std::chrono::milliseconds kPause(20);

/// The environment with VESTIGE_FOLDER.
std::vector<std::string> environment(const std::string& folder) {
  std::vector<std::string> entries;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, "VESTIGE_FOLDER=", 15) != 0) entries.emplace_back(*entry);
  }
  entries.push_back("VESTIGE_FOLDER=" + folder);
  return entries;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

/// posix_spawn and not fork: LibTorch's threads must not be copied.
pid_t spawn(const std::string& command, const std::string& folder) {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  ::posix_spawnattr_init(&attributes);
  ::posix_spawn_file_actions_init(&actions);
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  const std::string log = folder + "/log.txt";
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  ::posix_spawn_file_actions_adddup2(&actions, 1, 2);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  std::vector<std::string> arguments{"sh", "-c", command, "sh", folder};
  std::vector<std::string> variables = environment(folder);
  pid_t child = 0;
  const int error = ::posix_spawn(&child, "/bin/sh", &actions, &attributes,
                                  pointers(arguments).data(), pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  require(error == 0, "external: '{}' cannot be started: {}", command, std::strerror(error));
  return child;
}

/// Whether the child has ended; it stays a zombie, so that its group's number is not used again.
bool ended(pid_t child) {
  siginfo_t info{};
  const int answer = ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOHANG | WNOWAIT);
  return (answer != 0 && errno != EINTR) || info.si_pid == child;
}

/// SIGTERM, a while, and then SIGKILL by finish().
void ask_to_stop(pid_t child) {
  ::kill(-child, SIGTERM);
  const Clock::time_point end = Clock::now() + kGrace;
  while (!ended(child) && Clock::now() < end) std::this_thread::sleep_for(kPause);
}

/// Kills what is left of the group and returns the child's exit code.
int finish(pid_t child) {
  ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

CommandResult run_command(const std::string& command, const std::filesystem::path& folder,
                          double limit_seconds, const std::function<void()>& tick) {
  const Clock::time_point start = Clock::now();
  const auto elapsed = [start] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const pid_t child = spawn(command, folder.string());
  CommandResult result;
  try {
    for (int pauses = 0; !ended(child); ++pauses) {
      if (elapsed() > limit_seconds) {
        result.timed_out = true;
        ask_to_stop(child);
        break;
      }
      if (tick && pauses % 10 == 0) tick();
      std::this_thread::sleep_for(kPause);
    }
  } catch (...) {
    ask_to_stop(child);
    finish(child);
    throw;
  }
  result.code = finish(child);
  result.seconds = elapsed();
  return result;
}

std::string last_line(const std::string& text) {
  constexpr std::size_t kLongest = 200;
  const std::size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  const std::size_t before = text.find_last_of('\n', end);
  std::string line = text.substr(before == std::string::npos ? 0 : before + 1);
  line.resize(std::min(line.find_last_not_of(" \t\r\n") + 1, kLongest));
  for (char& letter : line) {
    if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7F) letter = ' ';
  }
  return line;
}

}  // namespace vestige::unlearn
