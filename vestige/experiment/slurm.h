// The sbatch script of an experiment: a job array whose elements share its pool, each with the time
// that the estimate gives it, queued again when its node or its time is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "vestige/experiment/estimates/estimate.h"

namespace vestige::experiment {

struct SlurmJob {
  std::string name;                   ///< of the job and of its logs
  std::vector<std::string> command;   ///< program and arguments, unquoted; without --threads
  std::filesystem::path folder;       ///< in which it runs: paths in the command may be relative
  std::size_t elements = 1;           ///< of the array
  std::int64_t cores = 1;             ///< of each element
  std::int64_t gpus = 0;              ///< of each element
  double seconds = 0;                 ///< of each element, as estimated
  std::vector<std::string> comments;  ///< what was counted on, line by line
};

/// So many elements that the models of each take at most four hours; not more than there are jobs,
/// nor than Slurm takes by default (MaxArraySize 1001).
std::size_t array_size(const TimeEstimate& estimate);

/// Seconds that an element is given: half as much again as estimated and ten minutes, because an
/// element that is cut off loses the model at hand; in whole five minutes.
double slurm_seconds(double estimated);

/// "1-02:30:00": days, hours, minutes and seconds, as sbatch --time takes them.
std::string slurm_time(double seconds);

/// The script. InputError if a name or folder has a line break, which #SBATCH cannot hold.
std::string slurm_script(const SlurmJob& job);

}  // namespace vestige::experiment
