// A U-Net that denoises images, after the DDPM++ network of Song et al. 2021 as Karras et al. 2022
// train it: residual blocks with group norm, self-attention at low resolution, skip connections.
#pragma once

#include "vestige/models/network.h"

namespace vestige::models {

/// Options: `width` (32), `multipliers` ([1, 2, 2]: channels of each level over width; the image's
/// side halves from level to level), `depth` (1, blocks of a level), `attention` (sides with
/// self-attention; default: the lowest), `heads` (1), `resize` (0). Tap: `encoder`, the output of
/// the last block before the decoder.
NetworkPointer unet(Options& options, const Shape& shape, std::int64_t copies);

}  // namespace vestige::models
