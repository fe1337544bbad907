// Examples that stand several times in a split, and rows that nobody filled.
#pragma once

#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

/// Two kinds of W-REPEATED, both of which block verdicts:
/// - rows whose logits are all the same number, as in a buffer that was not filled to its end;
/// - a forget or test set in which more than a tenth of the examples repeat others: an original and
///   a retrained model give them the same outputs. Examples that the retrained model is sure of do
///   not count, because rounding makes their outputs alike. Intervals would count each copy as a
///   new example.
Findings check_repeated_rows(const Evidence& evidence);

}  // namespace vestige::evidence
