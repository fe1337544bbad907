// VGG (Simonyan and Zisserman 2015, configurations A and D), in the variant for small images (batch
// norm, one linear layer) and in torchvision's.
#pragma once

#include "vestige/models/network.h"

namespace vestige::models {

/// 3x3 convolutions in five blocks with a max pool after each: 64, 128, 256 256, 512 512, 512 512.
/// The last maps are averaged (at 32 pixels they are single values). Option layout: "small" (batch
/// norm, one linear layer) or "torchvision" (no batch norm, linear layers of 4,096 and 4,096; its
/// dropout is left out, as everywhere here). Images of at least 32 x 32.
/// Taps block1 to block5 (before the pools), penultimate, logits.
NetworkPointer vgg11(Options& options, const Shape& shape, std::int64_t copies);

/// The same with 64 64, 128 128, 256 256 256, 512 512 512, 512 512 512.
NetworkPointer vgg16(Options& options, const Shape& shape, std::int64_t copies);

}  // namespace vestige::models
