// How models came to be, epoch by epoch, where the recipe asks for it.
#pragma once

#include <vector>

#include "vestige/experiment/experiment.h"
#include "vestige/result/study_experiment.h"

namespace vestige::experiment {

/// Of each variant's first split the first original, retrained model and run of every method whose
/// facts have a history.
std::vector<result::History> histories(const Experiment& experiment, pool::Store& store);

}  // namespace vestige::experiment
