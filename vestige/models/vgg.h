// VGG with batch norm (Simonyan and Zisserman 2015, configurations A and D), in the variant for
// small images: one linear layer after the convolutions instead of three.
#pragma once

#include "vestige/models/network.h"

namespace vestige::models {

/// 3x3 convolutions in five blocks with a max pool after each: 64, 128, 256 256, 512 512, 512 512.
/// The last maps are averaged (at 32 pixels they are single values). Images of at least 32 x 32.
/// Taps block1 to block5 (before the pools), penultimate, logits.
NetworkPointer vgg11(Options& options, const Shape& shape, std::int64_t copies);

/// The same with 64 64, 128 128, 256 256 256, 512 512 512, 512 512 512.
NetworkPointer vgg16(Options& options, const Shape& shape, std::int64_t copies);

}  // namespace vestige::models
