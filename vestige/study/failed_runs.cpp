// The sentence about failed runs.
#include "vestige/study/failed_runs.h"

#include <fmt/format.h>

namespace vestige::study {

std::string sentence(const FailedRuns& runs) {
  return fmt::format("{}, arm {}: {} of {} runs failed: {}", runs.method, runs.arm, runs.failed,
                     runs.runs, runs.why);
}

}  // namespace vestige::study
