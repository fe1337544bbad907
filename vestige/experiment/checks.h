// What can be known to fail before any training: metrics that the variant's models cannot support.
#pragma once

#include "vestige/experiment/experiment_plan.h"
#include "vestige/study/paper_checks.h"

namespace vestige::experiment {

/// InputError with the remedy for a metric that is asked for by name and cannot be measured on
/// this variant: F with one retrained model, N above the pool, a class-wise metric without class
/// forgetting, shadow attacks without shadows, and the like.
void check_variant(const VariantPlan& variant);

/// What the plan will have measured, for the checks of its recipe; names of methods and roles that
/// only models tell are left empty.
study::StudyNames study_names(const ExperimentPlan& plan);

}  // namespace vestige::experiment
