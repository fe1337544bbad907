// Retraining from scratch: what every other method is measured against.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

Method retrain();

/// Draws problem.network's weights from problem.seed and trains it on `rows` just as the original
/// was trained (problem.training): with the same seed, the same bytes as the pool's training gives.
train::Cost train_from_scratch(Problem& problem, const train::Rows& rows);

}  // namespace vestige::unlearn
