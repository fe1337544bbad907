// Which splits the models have: a forget set that is missing, a train set instead of a retain set,
// a calibration set of some models only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

/// True for the models that an audit compares: original, retrained, unlearned and partial ones.
bool is_compared(const Model& model);

/// True if some compared model has rows of the split, and another that could be measured without
/// them (it has forget and test rows) has none.
bool given_to_some(const Evidence& evidence, std::string_view split);

/// `found` is what was found before: a model whose files have errors is not also said to lack rows.
Findings check_splits(const Evidence& evidence, const Findings& found);

}  // namespace vestige::evidence
