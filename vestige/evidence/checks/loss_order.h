// Losses of language models in another order, or in another unit, than those of the other models.
#pragma once

#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

/// On forget, retain and test, models agree on which sequences are hard. A model whose losses vary
/// independently of the others', while these agree, is in another order; an unlearned one only if
/// its mean loss is like theirs, because a model that forgot too much is different, not shuffled.
/// Also losses that are those of the original and retrained models times 1.44 or 0.69 on retain and
/// test: bits and nats.
Findings check_loss_order(const Evidence& evidence);

}  // namespace vestige::evidence
