// What probes do to the weights of finished models, image models and language models alike: round
// them, and set the smallest to 0.
#pragma once

#include <cstdint>
#include <vector>

#include "vestige/models/torch.h"

namespace vestige::models {

/// A weight to `bits` bits and back: symmetric, rounded to the nearest, one scale for each output
/// channel (the largest weight is the largest number). Its last dimensions, from `inner` on, belong
/// to one channel.
void round_channels(torch::Tensor weight, std::int64_t inner, std::int64_t bits);

/// Sets this share of all weights to 0, those nearest to it; ties at the border go too.
void zero_smallest(const std::vector<torch::Tensor>& weights, double share);

}  // namespace vestige::models
