// Works off a list of jobs together with any number of other processes on the same pool.
#pragma once

#include <cstddef>
#include <span>

#include "vestige/pool/job.h"
#include "vestige/pool/store.h"

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
  /// Show progress (one process per terminal does).
  bool progress = true;
};

struct RunSummary {
  std::size_t made = 0;     ///< by this worker
  std::size_t present = 0;  ///< were there already or were made by others
  std::size_t failed = 0;   ///< jobs that threw InputError; the others went on
};

/// Makes what is missing. Jobs that another live process works on are left to it and waited for
/// at the end; jobs whose `needs` are not there yet are put back. Returns when every model of
/// every job is in the store (or has failed).
RunSummary run(Store& store, std::span<const Job> jobs, const RunOptions& options);

}  // namespace vestige::pool
