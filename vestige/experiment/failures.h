// Which models of an experiment could not be made, and why.
#pragma once

#include <vector>

#include "vestige/experiment/experiment.h"
#include "vestige/experiment/measure.h"
#include "vestige/result/study.h"

namespace vestige::experiment {

/// Methods (and roles of trained models) with models that the pool lacks after the work, or that
/// `audits` left out because what they say is not finite; one entry for each variant, in the order
/// of the plan. Runs that variants share count in each of them.
std::vector<result::FailedRuns> failed_runs(const Experiment& experiment, pool::Store& store,
                                            const std::vector<VariantAudit>& audits = {});

}  // namespace vestige::experiment
