// How models came to be, epoch by epoch, where the recipe asks for it.
#pragma once

#include "vestige/experiment/experiment.h"

namespace vestige::experiment {

/// Of each arm's first split the first original, retrained model and run of every method whose
/// facts have a history: {"arm", "model", "parts": {"train": {"loss": [..], "accuracy": [..]}}},
/// one value per epoch.
Json histories(const Experiment& experiment, pool::Store& store);

}  // namespace vestige::experiment
