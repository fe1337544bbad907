// Writing the script.
#include "vestige/experiment/slurm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"

namespace vestige::experiment {
namespace {

constexpr double kElementSeconds = 4 * 3600;
constexpr double kMostElements = 1000;
constexpr double kStartSeconds = 600;
constexpr double kStep = 300;

/// A word of a shell's command line, as it stands.
std::string quoted(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./%@";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string text = "'";
  for (const char letter : word) {
    text += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  }
  return text + "'";
}

/// A value behind #SBATCH: sbatch takes words apart at blanks unless they are in quotation marks.
std::string directive(const std::string& option, const std::string& value) {
  require(value.find_first_of("\n\r\"") == std::string::npos,
          "{} cannot stand in a line of #SBATCH: rename it, without line breaks and quotation "
          "marks",
          value);
  const bool blank = value.find_first_of(" \t#") != std::string::npos;
  return fmt::format("#SBATCH --{}={}\n", option, blank ? "\"" + value + "\"" : value);
}

// USR1 comes to this shell before the time is up (--signal). The program ends after SIGTERM with
// everything that is finished kept; the same element then waits in the queue for its next turn.
// Twenty turns are enough for anything that gets on at all. The element is named by its array:
// SLURM_JOB_ID of the last element is the array's own, and would queue all of them again.
constexpr const char* kBody = R"(
again() {
  kill -TERM "$work" 2> /dev/null
  wait "$work"
  if [ "${SLURM_RESTART_COUNT:-0}" -lt 20 ]; then
    echo "the time is up: queued again, what is finished is kept"
    scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
  fi
  exit 1
}
trap again USR1
)";

}  // namespace

std::size_t array_size(const TimeEstimate& estimate) {
  const double alone =
      (estimate.training + estimate.unlearning) / static_cast<double>(estimate.workers);
  const double wanted = std::ceil(alone / kElementSeconds);
  const double most = std::max(
      1.0,
      std::min(std::ceil(estimate.jobs / static_cast<double>(estimate.workers)), kMostElements));
  return static_cast<std::size_t>(std::clamp(wanted, 1.0, most));
}

double slurm_seconds(double estimated) {
  return std::ceil((1.5 * estimated + kStartSeconds) / kStep) * kStep;
}

std::string slurm_time(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  return fmt::format("{}-{:02}:{:02}:{:02}", whole / 86400, whole / 3600 % 24, whole / 60 % 60,
                     whole % 60);
}

std::string slurm_script(const SlurmJob& job) {
  std::string text = "#!/bin/sh\n";
  for (const std::string& comment : job.comments) text += "# " + comment + "\n";
  text += directive("job-name", job.name);
  text += directive("array", fmt::format("0-{}", job.elements - 1));
  text += directive("ntasks", "1");
  text += directive("cpus-per-task", fmt::format("{}", job.cores));
  if (job.gpus > 0) text += directive("gpus-per-task", fmt::format("{}", job.gpus));
  text += directive("time", slurm_time(slurm_seconds(job.seconds)));
  text += directive("chdir", job.folder.string());
  text += directive("output", job.name + "-%A_%a.log");
  text += directive("open-mode", "append");
  text += fmt::format("#SBATCH --{}\n", "requeue");
  text += directive("signal", "B:USR1@120");
  text += kBody;
  for (const std::string& word : job.command) text += quoted(word) + " ";
  text += fmt::format(
      "\\\n  --threads \"${{SLURM_CPUS_PER_TASK:-{}}}\" &\nwork=$!\nwait \"$work\"\n", job.cores);
  return text;
}

}  // namespace vestige::experiment
