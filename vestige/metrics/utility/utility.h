// Utility: what the model still does well, and how far it is from the retrained one.
#pragma once

#include <span>

#include "vestige/metrics/family.h"

namespace vestige::metrics {

/// Product of 1 - |accuracy - reference| over splits ("tug of war", Zhao et al. 2024).
double tug_of_war(std::span<const double> gaps);

/// Adaptive unlearning score, random-forgetting form:
/// (1 - (test_original - test)) / (1 + |forget - test|).
double adaptive_unlearning_score(double test_original, double test, double forget);

Family utility_family();

}  // namespace vestige::metrics
