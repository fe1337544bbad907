// The rectified maximum of 2 x 2 pixels, as small networks have it after their convolutions.
#pragma once

#include <string>

#include "vestige/models/network.h"

namespace vestige::models {

/// max_pool2d(relu(channels), 2) of channels [batch, k * C, H, W], with relu(channels) kept where
/// the tap `name` is wanted. Elsewhere the maximum is taken first: values and gradients are the
/// same (where all four pixels are negative both ways give 0 and pass nothing on), for a quarter of
/// the work.
torch::Tensor rectified_pool(Taps* taps, const std::string& name, const torch::Tensor& channels,
                             std::int64_t copies);

/// max_pool2d(channels, 2). On CUDA its backward pass puts each gradient where the maximum was,
/// which is all there is to do where windows do not overlap; LibTorch's own kernel looks for the
/// windows of every pixel and takes several times as long (docs/lab/gpu.md). On the processor
/// floats are pooled by loops of our own, the same bytes as LibTorch's (docs/lab/models.md).
torch::Tensor max_pool(const torch::Tensor& channels);

}  // namespace vestige::models
