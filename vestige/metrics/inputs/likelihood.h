// How probable a language model finds each sequence of a split.
#pragma once

#include <string_view>
#include <vector>

#include "vestige/evidence/evidence.h"

namespace vestige::metrics {

/// Mean log-probability of a token (natural log), one per sequence. Throws where tokens are damaged
/// or missing.
std::vector<double> sequence_likelihoods(const evidence::Evidence& evidence,
                                         const evidence::Model& model, std::string_view split);

}  // namespace vestige::metrics
