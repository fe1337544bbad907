// All-CNN-C with batch norm, as the unlearning literature uses it.
#pragma once

#include "vestige/models/network.h"

namespace vestige::models {

/// Eight convolutions, each with batch norm and relu: 96, 96, 192 (stride 2), 192, 192, 192 (stride
/// 2), 192, all 3x3, and 192 1x1; then the mean over the image and one linear layer. Springenberg
/// et al. 2015, Table 2, All-CNN-C, in the variant of Golatkar et al. 2020 that later unlearning
/// code carries on (the third convolution widens, batch norm, a linear classifier; without its
/// dropout). Images of at least 4 x 4. Taps conv2, conv4, conv6, conv8 (after relu), penultimate,
/// logits.
NetworkPointer allcnn(Options& options, const Shape& shape, std::int64_t copies);

}  // namespace vestige::models
