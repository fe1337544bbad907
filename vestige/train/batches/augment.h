// Random changes of training images: crop, flip, rotation, shear, scale, colour jitter.
#pragma once

#include <cstdint>
#include <vector>

#include "vestige/train/batches/samples.h"
#include "vestige/train/settings.h"

namespace vestige::train {

/// Changes batch.inputs [k, b, C, H, W] in place. The draws of copy c come from (seeds[c],
/// "augment", step), so that they depend on nothing else. What moves in from outside is 0, the
/// channel's mean. Tables are an InputError.
void augment(Batch& batch, const AugmentSettings& settings, const std::vector<std::uint64_t>& seeds,
             std::uint64_t step);

}  // namespace vestige::train
