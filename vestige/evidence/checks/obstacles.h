// Evidence that is probably not what it says: what stands in the way of verdicts.
#pragma once

#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

/// Splits that share examples, repeated examples, copies, another order of classes or sequences,
/// reference models that are not what their folder says, losses in another unit. `others` are the
/// findings so far: a model that they call shuffled is not also called inaccurate. All of them
/// block verdicts, but for columns that may be right (Finding::blocks_verdicts).
Findings obstacles(const Evidence& evidence, const Findings& others = {});

}  // namespace vestige::evidence
