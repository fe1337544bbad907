// DenseNet-BC for small images, and torchvision's densenet121 (Huang et al. 2017, "Densely
// connected convolutional networks").
#pragma once

#include "vestige/models/network.h"

namespace vestige::models {

/// Three dense blocks of bottleneck layers, halved channels and a 2x2 mean between them. Options
/// depth (100; 3 n + 4 with even n) and growth (12). Images of at least 4 x 4. Taps block1 to
/// block3 (block3 after the last batch norm and relu), penultimate, logits.
NetworkPointer densenet(Options& options, const Shape& shape, std::int64_t copies);

/// torchvision.models.densenet121: a 7x7 stem of stride 2 with batch norm and a max pool, four
/// dense blocks of 6, 12, 24 and 16 layers with growth 32. Images of at least 32 x 32. Taps block1
/// to block4 (block4 after the last batch norm and relu), penultimate, logits.
NetworkPointer densenet121(Options& options, const Shape& shape, std::int64_t copies);

}  // namespace vestige::models
