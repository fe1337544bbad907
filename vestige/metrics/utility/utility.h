// Utility: what the model still does well, and how far it is from the retrained one.
#pragma once

#include <span>

#include "vestige/metrics/family.h"

namespace vestige::metrics {

/// Product of 1 - |accuracy - reference| over splits ("tug of war", Zhao et al. 2024).
double tug_of_war(std::span<const double> gaps);

/// Adaptive unlearning score (Cotogni et al. 2023): (1 - (test_original - test)) / (1 + |forget -
/// target|). The target of forget accuracy is the model's own test accuracy where rows were
/// forgotten, and 0 where whole classes were.
double adaptive_unlearning_score(double test_original, double test, double forget, double target);
/// The form for rows.
double adaptive_unlearning_score(double test_original, double test, double forget);

Family utility_family();

}  // namespace vestige::metrics
