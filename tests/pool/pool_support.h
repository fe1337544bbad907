// Synthetic jobs and child processes for the pool's tests.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/support.h"
#include "vestige/base/file.h"
#include "vestige/pool/run.h"

namespace vestige::pool::testing {

inline void sleep_ms(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

/// `action` in a child that ends without destructors or exit handlers.
inline pid_t start_child(const std::function<void()>& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 0;
    try {
      action();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
      code = 1;
    }
    ::_exit(code);
  }
  return child;
}

/// Exit code, or minus the signal.
inline int end_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// The id of a process that has ended.
inline pid_t dead_pid() {
  const pid_t child = start_child([] {});
  end_of(child);
  return child;
}

inline void append_line(const std::filesystem::path& path, const std::string& text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const std::string line = text + "\n";
  if (::write(file, line.data(), line.size()) != static_cast<ssize_t>(line.size())) ::abort();
  ::close(file);
}

/// How often each line is in a file.
inline std::map<std::string, int> line_counts(const std::filesystem::path& path) {
  std::map<std::string, int> counts;
  std::istringstream text(read_file(path));
  for (std::string line; std::getline(text, line);) ++counts[line];
  return counts;
}

inline Identity identity(int seed) {
  return {fmt::format("original/{}", seed), {{"architecture", "mlp"}, {"seed", seed}}};
}

inline Product product(int seed) {
  return {{{"model.safetensors", fmt::format("weights of {}", seed)},
           {"history.json", fmt::format("[{}]", seed)}},
          {{"seconds", 0.1}}};
}

/// A job that takes `milliseconds` and writes a line to `log` (if named) when it begins.
inline Job job(int seed, int milliseconds = 0, const std::filesystem::path& log = {}) {
  Job result;
  result.models = {identity(seed)};
  result.images = 100;
  result.make = [=](const std::function<void(const Report&)>& report) {
    if (!log.empty()) append_line(log, std::to_string(seed));
    const auto start = std::chrono::steady_clock::now();
    report({.images = 50, .total_images = 100, .loss = 1, .accuracy = 0.5});
    sleep_ms(milliseconds);
    Product made = product(seed);
    made.facts["seconds"] =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return std::vector<Product>{made};
  };
  return result;
}

inline std::vector<Job> many_jobs(int count, int milliseconds,
                                  const std::filesystem::path& log = {}) {
  std::vector<Job> jobs;
  for (int seed = 0; seed < count; ++seed) jobs.push_back(job(seed, milliseconds, log));
  return jobs;
}

inline RunOptions quiet(std::size_t rank = 0, std::size_t workers = 1) {
  return {.rank = rank, .workers = workers, .heartbeat_seconds = 0.05, .progress = false};
}

/// Everything in a pool by path, without the facts (they hold times).
inline std::map<std::string, std::string> tree(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = std::filesystem::relative(entry.path(), folder).string();
    if (entry.is_directory()) {
      files[path] = "(folder)";
      continue;
    }
    std::string content = read_file(entry.path());
    if (entry.path().filename() == "entry.json") {
      Json json = Json::parse(content);
      json.erase("facts");
      content = json.dump();
    }
    files[path] = content;
  }
  return files;
}

}  // namespace vestige::pool::testing
