// Graded retrains of MIAU: do they score higher the more of forget was left out?
#pragma once

#include "vestige/metrics/family.h"
#include "vestige/metrics/miau/miau_context.h"

namespace vestige::metrics {

/// Every partial retrain of the evidence.
Models partial_models(const evidence::Evidence& evidence);

/// Monotonicity over all levels, and the tests of this model's level against the lower ones, as
/// facts and note of the row; nothing for other models.
void add_graded(const MiauContext& context, Row& row);

}  // namespace vestige::metrics
