// Training from scratch, as the original was trained, on rows that a method chooses.
#pragma once

#include <functional>

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

/// Draws problem.network's weights from problem.seed and trains it on `rows` just as the original
/// was trained (problem.training): with the same seed, the same bytes as the pool's training gives.
/// `adjust` (may be empty) changes the phase before it runs.
train::Cost train_from_scratch(Problem& problem, const train::Rows& rows,
                               const std::function<void(train::Phase&)>& adjust = {});

}  // namespace vestige::unlearn
