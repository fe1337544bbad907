// Works off a list of jobs together with any number of other processes on the same pool.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "vestige/base/progress.h"
#include "vestige/pool/job.h"
#include "vestige/pool/store.h"
#include "vestige/pool/workers.h"

namespace vestige::pool {

struct RunOptions {
  /// This worker's place among those started together: it begins its search for work there, so
  /// that workers do not race for the same job.
  std::size_t rank = 0;
  std::size_t workers = 1;
  /// A lock without heartbeat for this long belongs to the dead (at once if its process is gone
  /// from this machine).
  double stale_seconds = 60;
  double heartbeat_seconds = 2;
  /// Jobs that failed after this moment failed in this run: they are not tried again.
  std::filesystem::file_time_type since = run_started();
  /// Show progress in this style; one process per terminal does.
  bool progress = true;
  ProgressStyle style = ProgressStyle::automatic;
};

struct RunSummary {
  std::size_t made = 0;     ///< models, by this worker
  std::size_t present = 0;  ///< models that were there already or were made by others
  std::size_t failed = 0;   ///< jobs that threw or whose needs nobody makes; the others went on
};

/// Makes what is missing. Jobs that another live process works on are left to it and waited for
/// at the end; jobs whose `needs` are not there yet are put back. Returns when every model of
/// every job is in the store (or has failed; the reason is on stderr). InputError if the pool
/// cannot be written, Interrupted after Ctrl-C: what is finished is kept, and the claim is given
/// back.
RunSummary run(Store& store, std::span<const Job> jobs, const RunOptions& options);

}  // namespace vestige::pool
