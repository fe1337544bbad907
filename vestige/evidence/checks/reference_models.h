// Original and retrained models that are not what their folder says.
#pragma once

#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

/// Retrained models whose accuracy on test examples is far from that of the originals, and
/// retrained models that know the forget set as well as the originals do although these memorised
/// their training examples. Nothing is said of models that `known` says are in another order.
Findings check_reference_models(const Evidence& evidence, const Findings& known);

}  // namespace vestige::evidence
