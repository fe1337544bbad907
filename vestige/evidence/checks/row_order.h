// Rows in another order than their labels or than the rows of other models, and collapsed models.
#pragma once

#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

/// On forget, retain, test and calibration, each model is compared with the labels and with a few
/// other models (dependence.h). Whose rows say nothing of either, while others show that there is
/// something to say, is in another order; if models agree with each other and none with the labels,
/// the labels are; if none agrees with any other either, on no split, every loader shuffles. A
/// model that gives (nearly) one class to all rows is collapsed, not shuffled; one that is wrong in
/// a pattern, as after over-forgetting, is neither. Untrained models and checkpoints are left
/// alone.
Findings check_row_order(const Evidence& evidence);

}  // namespace vestige::evidence
