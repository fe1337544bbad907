// Spawning, waiting and stopping.
#include "vestige/unlearn/parts/command.h"

#include <signal.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "vestige/base/error.h"
#include "vestige/base/platform/process.h"

namespace vestige::unlearn {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kGrace(2);
constexpr std::chrono::milliseconds kPause(20);

pid_t spawn(const std::string& command, const std::string& folder) {
  platform::Launch launch{.program = "/bin/sh",
                          .arguments = {"sh", "-c", command, "sh", folder},
                          .input = "/dev/null",
                          .output = folder + "/log.txt",
                          .errors_to_output = true,
                          .folder = folder,
                          .own_group = true};
  std::erase_if(launch.environment,
                [](const std::string& entry) { return entry.starts_with("VESTIGE_FOLDER="); });
  launch.environment.push_back("VESTIGE_FOLDER=" + folder);
  const platform::Started started = platform::start(launch);
  require(started.error == 0, "external: '{}' cannot be started: {}", command,
          std::strerror(started.error));
  return started.child;
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
  return platform::wait_for(child);
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
