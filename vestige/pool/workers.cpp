// Starting, stopping and waiting for worker processes.
#include "vestige/pool/workers.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <thread>

#include "vestige/base/error.h"
#include "vestige/base/interrupt.h"
#include "vestige/base/platform/process.h"

namespace vestige::pool {
namespace {

constexpr auto kPause = std::chrono::milliseconds(20);
/// Ctrl-C on a terminal reaches the workers by itself; a second signal would end them at once.
constexpr auto kGrace = std::chrono::seconds(1);

using FileClock = std::filesystem::file_time_type::clock;

long long now() { return static_cast<long long>(FileClock::now().time_since_epoch().count()); }

pid_t start(const std::vector<std::string>& arguments, int worker) {
  platform::Launch launch{.program = platform::own_program_bytes(),
                          .arguments = {platform::own_program().string()},
                          .output = "/dev/null"};
  launch.arguments.insert(launch.arguments.end(), arguments.begin(), arguments.end());
  launch.arguments.push_back("--worker");
  launch.arguments.push_back(std::to_string(worker));
  const std::string parent = std::string(kWorkerVariable) + "=";
  const std::string begun = std::string(kStartedVariable) + "=";
  std::erase_if(launch.environment, [&](const std::string& variable) {
    return variable.starts_with(parent) || variable.starts_with(begun);
  });
  launch.environment.push_back(parent + std::to_string(::getpid()));
  launch.environment.push_back(begun + std::to_string(now()));
  const platform::Started started = platform::start(launch);
  require(started.error == 0, "cannot start worker {}: {}; ask for fewer", worker,
          std::strerror(started.error));
  return started.child;
}

/// The children; whoever is left at the end is stopped and waited for.
class Children {
 public:
  Children() = default;
  ~Children() { stop(); }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  void add(pid_t child) { running_.push_back(child); }

  /// Waits for all; throws Interrupted after a signal.
  int wait() {
    int first = 0;
    while (!running_.empty()) {
      check_interrupt();
      if (const int code = reap(); first == 0) first = code;
      if (!running_.empty()) std::this_thread::sleep_for(kPause);
    }
    return first;
  }

 private:
  /// Collects those that ended; the first exit code that is not 0.
  int reap() {
    int first = 0;
    std::erase_if(running_, [&](pid_t child) {
      int status = 0;
      const pid_t ended = ::waitpid(child, &status, WNOHANG);
      if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
      if (ended == child && WIFSIGNALED(status) && !stopping_) {
        std::fputs(
            fmt::format(
                "vestige: warning: worker process {} was ended by signal {} ({}{}); "
                "the others make its model\n",
                child, WTERMSIG(status), ::strsignal(WTERMSIG(status)),
                WTERMSIG(status) == SIGKILL ? ", which the kernel does for want of memory" : "")
                .c_str(),
            stderr);
      } else if (ended == child && WIFEXITED(status) && first == 0) {
        first = WEXITSTATUS(status);
      }
      return true;
    });
    return first;
  }

  void stop() {
    stopping_ = true;
    // Not interrupted: own work failed, and nobody has told the workers yet.
    bool told = !interrupted();
    if (told) tell();
    const auto begin = std::chrono::steady_clock::now();
    while (reap(), !running_.empty()) {
      if (!told && std::chrono::steady_clock::now() - begin > kGrace) {
        tell();
        told = true;
      }
      std::this_thread::sleep_for(kPause);
    }
  }

  void tell() const {
    for (const pid_t child : running_) ::kill(child, SIGTERM);
  }

  std::vector<pid_t> running_;
  bool stopping_ = false;
};

}  // namespace

int run_workers(int count, const std::vector<std::string>& arguments,
                const std::function<int()>& own_work) {
  Children children;
  for (int worker = 1; worker < count; ++worker) children.add(start(arguments, worker));
  const int own = own_work();
  const int theirs = children.wait();
  return own != 0 ? own : theirs;
}

std::filesystem::file_time_type run_started() {
  const char* parent = std::getenv(kWorkerVariable);
  const char* started = std::getenv(kStartedVariable);
  // Inherited by a process that a worker started, the variables say nothing.
  if (parent == nullptr || started == nullptr || std::to_string(::getppid()) != parent) {
    return FileClock::now();
  }
  return std::filesystem::file_time_type(FileClock::duration(std::atoll(started)));
}

void become_worker() {
  const char* parent = std::getenv(kWorkerVariable);
  if (parent == nullptr) return;
  platform::end_with_parent();
  // It may have died before the line above.
  if (std::to_string(::getppid()) != parent) ::raise(SIGTERM);
}

}  // namespace vestige::pool
