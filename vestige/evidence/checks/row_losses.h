// What language models (and others that export losses) say of each example, as one number.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

/// The loss of each example of a split: losses/SPLIT, else the mean negative log-probability of the
/// tokens of each sequence. Nothing if the model has neither or they cannot be read.
std::shared_ptr<const std::vector<double>> row_losses(const Evidence& evidence, const Model& model,
                                                      const std::string& split);

}  // namespace vestige::evidence
