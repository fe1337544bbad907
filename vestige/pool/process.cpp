// Process identity, and the file system's clock.
#include "vestige/pool/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <map>
#include <mutex>
#include <span>
#include <system_error>

#include "vestige/base/descriptor.h"
#include "vestige/base/platform/process.h"
#include "vestige/base/sha256.h"

namespace vestige::pool {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kTemporary = ".tmp.";
constexpr double kLeftoverSeconds = 3600;

std::string machine_text() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::string name = host.data();
  for (char& letter : name) {
    if (letter == '/') letter = '_';
  }
  const std::string space = platform::process_space();
  return name + "-" + sha256(std::as_bytes(std::span(space))).substr(0, 8);
}

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The stamp of a file that was just made; the machine's clock where none can be made.
double touched(const fs::path& folder) {
  const fs::path path = folder / temporary_name("clock");
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  struct stat state {};
  const bool stamped =
      file.get() >= 0 && ::futimens(file.get(), nullptr) == 0 && ::fstat(file.get(), &state) == 0;
  if (file.get() >= 0) ::unlink(path.c_str());
  if (stamped) return seconds(state.st_mtim);
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Cuts the last dot-separated number off `text`; -1 if there is none.
long cut_number(std::string_view& text) {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos) return -1;
  const std::string_view digits = text.substr(dot + 1);
  long number = -1;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (result.ec != std::errc() || result.ptr != digits.data() + digits.size()) return -1;
  text = text.substr(0, dot);
  return number;
}

}  // namespace

const std::string& machine() {
  static const std::string text = machine_text();
  return text;
}

bool process_gone(std::string_view host, pid_t pid, std::string_view start) {
  if (host != machine() || pid <= 0) return false;
  if (::kill(pid, 0) != 0 && errno == ESRCH) return true;
  const std::string now = platform::process_start(pid);
  if (now.empty()) {
    // Gone meanwhile or a zombie, unless the system hides other users' processes.
    return platform::processes_are_shown() && (::kill(pid, 0) == 0 || errno == ESRCH);
  }
  return !start.empty() && now != start;
}

double file_system_now(const fs::path& folder) {
  struct Reading {
    double file_time;
    double steady;
  };
  constexpr double kLookAgainSeconds = 10;
  static std::mutex mutex;
  static std::map<fs::path, Reading> readings;
  const std::lock_guard<std::mutex> guard(mutex);
  const double steady = steady_seconds();
  auto found = readings.find(folder);
  if (found == readings.end() || steady - found->second.steady > kLookAgainSeconds) {
    found = readings.insert_or_assign(folder, Reading{touched(folder), steady}).first;
  }
  return found->second.file_time + (steady - found->second.steady);
}

std::string temporary_name(std::string_view name) {
  static std::atomic<unsigned> count{0};
  return fmt::format("{}{}.{}.{}.{}", kTemporary, name, machine(), ::getpid(), count++);
}

void remove_leftovers(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string file = entry->path().filename().string();
    if (!file.starts_with(kTemporary)) continue;
    std::string_view rest = std::string_view(file).substr(kTemporary.size());
    const long count = cut_number(rest);
    const long pid = cut_number(rest);
    if (count < 0 || pid < 0) continue;
    const std::size_t dot = rest.find('.');
    const std::string_view host =
        dot == std::string_view::npos ? std::string_view() : rest.substr(dot + 1);
    struct stat state {};
    if (::lstat(entry->path().c_str(), &state) != 0) continue;
    if (host == machine() && pid == ::getpid()) continue;
    const bool old = file_system_now(folder) - seconds(state.st_mtim) > kLeftoverSeconds;
    if (old || process_gone(host, static_cast<pid_t>(pid), {})) {
      std::error_code ignored;
      fs::remove_all(entry->path(), ignored);
    }
  }
}

}  // namespace vestige::pool
