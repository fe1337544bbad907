// Starting, stopping and waiting for worker processes.
#include "vestige/pool/workers.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
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

namespace vestige::pool {
namespace {

constexpr auto kPause = std::chrono::milliseconds(20);
/// Ctrl-C on a terminal reaches the workers by itself; a second signal would end them at once.
constexpr auto kGrace = std::chrono::seconds(1);

/// Null-terminated pointers into `texts`, as exec wants them.
std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

using FileClock = std::filesystem::file_time_type::clock;

long long now() { return static_cast<long long>(FileClock::now().time_since_epoch().count()); }

pid_t start(const std::vector<std::string>& arguments, int worker) {
  std::error_code ignored;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  words.push_back("--worker");
  words.push_back(std::to_string(worker));
  std::vector<std::string> variables;
  const std::string prefix = std::string(kWorkerVariable) + "=";
  const std::string started = std::string(kStartedVariable) + "=";
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view own(*variable);
    if (!own.starts_with(prefix) && !own.starts_with(started)) variables.emplace_back(own);
  }
  variables.push_back(prefix + std::to_string(::getpid()));
  variables.push_back(started + std::to_string(now()));

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const int code = ::posix_spawn(&child, "/proc/self/exe", &actions, nullptr,
                                 pointers(words).data(), pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  require(code == 0, "cannot start worker {}: {}; ask for fewer", worker, std::strerror(code));
  return child;
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
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  // It may have died before the line above.
  if (std::to_string(::getppid()) != parent) ::raise(SIGTERM);
}

}  // namespace vestige::pool
