// The rows of the MIAU paper's Table 4 for one model.
#pragma once

#include "vestige/metrics/family.h"
#include "vestige/metrics/miau/miau_attacks.h"

namespace vestige::metrics {

/// miau.table4.{lira,shadow,quantile}.auc; skipped, with what is missing, where the evidence has no
/// shadow models or no penultimate activations.
void add_strong_attacks(const Comparison& comparison, const Request& request,
                        const MiauSettings& settings, Measurements& out);

}  // namespace vestige::metrics
