// MobileNetV2 (Sandler et al. 2018, "Inverted residuals and linear bottlenecks").
#pragma once

#include "vestige/models/network.h"

namespace vestige::models {

/// Inverted residuals of the paper's Table 2 at width 1. Up to 64 pixels the stem and the second
/// stage have stride 1 (the usual variant for CIFAR: 8 times smaller maps at the end instead of
/// 32). Images of at least 8 x 8. Taps stage1 to stage7, penultimate, logits.
NetworkPointer mobilenet_v2(Options& options, const Shape& shape, std::int64_t copies);

}  // namespace vestige::models
