// Splits that share examples: a test set exported from the forget loader, or the reverse.
#pragma once

#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

/// Compares forget, retain and test with each other. Two splits share examples if digests of the
/// inputs are the same, or if one model answers examples of both alike (outputs, losses or token
/// probabilities, and the label). Equal answers count only where they are more frequent between the
/// splits than within the larger one, where saturated models and repetitive data have them too.
Findings check_shared_rows(const Evidence& evidence);

}  // namespace vestige::evidence
