// The multi-layer perceptron, for tables (Purchase-100) and toy experiments.
#pragma once

#include "vestige/models/network.h"

namespace vestige::models {

/// Linear layers with an activation between them; images are flattened. Options: widths
/// [1024, 512, 256, 128] (an empty list is logistic regression), activation relu or tanh. Taps
/// hidden1, hidden2, ... (after the activation), penultimate (the last of them), logits.
NetworkPointer mlp(Options& options, const Shape& shape, std::int64_t copies);

}  // namespace vestige::models
