// What can be known to fail before any training: metrics that the arm's models cannot support.
#pragma once

#include "vestige/experiment/experiment_plan.h"

namespace vestige::experiment {

/// InputError with the remedy for a metric that is asked for by name and cannot be measured on
/// this arm: F with one retrained model, N above the pool, a class-wise metric without class
/// forgetting, shadow attacks without shadows, and the like.
void check_arm(const ArmPlan& arm);

}  // namespace vestige::experiment
