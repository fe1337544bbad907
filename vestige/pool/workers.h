// Worker processes on this machine: copies of this program that share the pool.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace vestige::pool {

/// Set in a worker's environment to the parent's process id.
inline constexpr const char* kWorkerVariable = "VESTIGE_WORKER_PARENT";

/// ... and to when the parent started its workers.
inline constexpr const char* kStartedVariable = "VESTIGE_WORKERS_STARTED";

/// When the run began that this process belongs to: for a worker when its parent started it, which
/// is before the worker's own libraries were loaded; else now. By the clock of files.
std::filesystem::file_time_type run_started();

/// Starts `count` - 1 processes of this program with `arguments` (without the program's name) and
/// "--worker I", I = 1 ... count - 1, does `own_work` (worker 0) meanwhile, and waits for them.
/// Workers inherit stderr; their stdout goes nowhere. Their models are retried by the others if
/// they die, so a worker ended by a signal is a warning only. Returns the first exit code that is
/// not 0 (own_work's, then the workers'), else 0. If own_work throws, or Ctrl-C arrives, the
/// workers are told to stop (SIGTERM), waited for, and the exception goes on.
int run_workers(int count, const std::vector<std::string>& arguments,
                const std::function<int()>& own_work);

/// To be called first by a process that was given "--worker": from here on it gets SIGTERM when its
/// parent dies, however that happens (once for each of the parent's threads, so it may end at once;
/// its lock is then known for a dead process's). Does nothing in a process that run_workers did not
/// start.
void become_worker();

}  // namespace vestige::pool
