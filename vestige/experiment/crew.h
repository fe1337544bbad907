// Who works on an experiment together: the conductor's place among the processes, and how they work
// jobs off. Whoever starts a conductor knows that; the conductor does not ask for MPI or options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "vestige/base/context.h"
#include "vestige/pool/job.h"
#include "vestige/pool/store.h"

namespace vestige::experiment {

/// What this process is to the experiment.
enum class CrewPart {
  leader,    ///< judges, prints and writes
  follower,  ///< another rank of mpirun: works along and waits for what the leader finds
  worker,    ///< started by the leader for the jobs at hand only; ends with them
};

struct Crew {
  CrewPart part = CrewPart::leader;
  /// One of several equal processes that start when a scheduler likes, such as the elements of a
  /// job array: a follower until it holds the lead, which passes on when its holder dies.
  bool elected = false;
  Context context;  ///< of the whole process: data, collecting and audits
  /// Processes that will share the work on this machine.
  std::function<std::size_t(std::int64_t threads_per_model)> workers;
  /// Works jobs off with all of them; 0, or the exit code if something failed.
  std::function<int(pool::Store& store, std::span<const pool::Job> jobs,
                    std::int64_t threads_per_model)>
      work_off;

  bool leads() const { return part == CrewPart::leader; }
};

/// Waits until `known` answers true: a follower, for what the leader writes.
void await(const std::function<bool()>& known);

}  // namespace vestige::experiment
