// Residual networks (He et al. 2016, "Deep residual learning for image recognition").
#pragma once

#include "vestige/models/network.h"

namespace vestige::models {

/// ResNet-18: four stages of two basic blocks, 64 to 512 channels. Options: stem ("cifar": one 3x3
/// convolution; "imagenet": 7x7 of stride 2 and a max pool; "auto": the first up to 64 pixels, the
/// second above), resize (pixels to which images are brought first; 0: as they are). Images of at
/// least 8 x 8. Taps block1 to block4 (the stages' outputs), penultimate, logits.
NetworkPointer resnet18(Options& options, const Shape& shape, std::int64_t copies);

/// ResNet-34: the same with 3, 4, 6 and 3 basic blocks.
NetworkPointer resnet34(Options& options, const Shape& shape, std::int64_t copies);

/// ResNet-50: the same with 3, 4, 6 and 3 bottlenecks, which end with 256 to 2,048 channels.
NetworkPointer resnet50(Options& options, const Shape& shape, std::int64_t copies);

}  // namespace vestige::models
