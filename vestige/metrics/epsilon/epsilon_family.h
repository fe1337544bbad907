// The epsilon family: how distinguishable a pool of models is from the retrained pool, row by row.
#pragma once

#include <span>

#include "vestige/metrics/family.h"

namespace vestige::metrics {

std::span<const MetricInfo> epsilon_metrics();

/// Needs `forget` labels and outputs of retrained models and of models to compare; with fewer than
/// 64 models a side the sentence says what cannot be seen.
Support epsilon_support(const evidence::Evidence& evidence);

/// Options: "epsilon.mode" (exact, reference), "epsilon.setup" (full, reuse-n-n, reuse-n-1,
/// bootstrap), "epsilon.models" (N of a setup; without one, how many models of each side are
/// compared) and "epsilon.experiments" (E). With comparison.halves only the rows that controls
/// need: f_score, median, undefined, perfectly_separated.
Measurements measure_epsilon(const Comparison& comparison, const Request& request,
                             Progress& progress);

}  // namespace vestige::metrics
