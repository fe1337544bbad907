// What the SDE paper measures besides rates: F1 over bandwidths (Figure 3), and sets of one batch
// against sets across batches (A.4, Figure 5).
#pragma once

#include <string>

#include "vestige/metrics/family.h"
#include "vestige/metrics/sde/activation_sets.h"

namespace vestige::metrics {

/// F1 at `sde.bandwidths` values of sigma, evenly spaced from 1 to the larger of sqrt(dim) and the
/// median distance: retain against forget where the model never saw forget, else against test. Rows
/// have settings.bandwidth 1, 2, ... and facts.sigma; nothing where the option is 0.
void add_bandwidths(const ActivationSets& sets, const ControlSets& control,
                    const Comparison& comparison, const Request& request, Measurements& out);

/// H of sets that are one fixed batch and of sets with one row each of as many batches, and whether
/// they differ; nothing where the model does not say who was in which batch.
void add_batches(const std::string& layer, double sigma, const Comparison& comparison,
                 const Request& request, Measurements& out);

}  // namespace vestige::metrics
