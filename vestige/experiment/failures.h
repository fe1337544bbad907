// Which models of an experiment could not be made, and why.
#pragma once

#include <vector>

#include "vestige/experiment/experiment.h"
#include "vestige/study/failed_runs.h"

namespace vestige::experiment {

/// Methods (and roles of trained models) with models that the pool lacks after the work, one entry
/// for each arm, in the order of the plan. Runs that arms share count in each of them.
std::vector<study::FailedRuns> failed_runs(const Experiment& experiment, pool::Store& store);

}  // namespace vestige::experiment
