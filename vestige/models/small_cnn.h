// The lab's small convolutional network, for pools of many models.
#pragma once

#include "vestige/models/network.h"

namespace vestige::models {

/// conv 3x3 to w, relu, max pool 2, conv 3x3 to 2w, relu, max pool 2, linear to 128, relu, linear
/// to the classes. Option width (w): 16. Images of at least 4 x 4. Taps conv1 and conv2 (after the
/// relu, before the pool), penultimate, logits.
NetworkPointer small_cnn(Options& options, const Shape& shape, std::int64_t copies);

}  // namespace vestige::models
