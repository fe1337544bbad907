// Rounding and pruning.
#include "vestige/models/weights/treated_weights.h"

#include <cmath>

namespace vestige::models {

void round_channels(torch::Tensor weight, std::int64_t inner, std::int64_t bits) {
  const torch::NoGradGuard no_gradient;
  const double largest = std::exp2(static_cast<double>(bits - 1)) - 1;
  const torch::Tensor channels = weight.flatten(inner);
  // A channel of zeros has no scale and needs none.
  const torch::Tensor scale =
      (std::get<0>(channels.abs().max(inner, true)) / largest).clamp_min(1e-30);
  const torch::Tensor rounded = torch::round(channels / scale) * scale;
  weight.copy_(rounded.view(weight.sizes()));
}

void zero_smallest(const std::vector<torch::Tensor>& weights, double share) {
  const torch::NoGradGuard no_gradient;
  std::vector<torch::Tensor> sizes;
  for (const torch::Tensor& weight : weights) sizes.push_back(weight.abs().flatten());
  const torch::Tensor magnitudes = torch::cat(sizes);
  const auto gone = static_cast<std::int64_t>(share * static_cast<double>(magnitudes.numel()));
  if (gone == 0) return;
  const torch::Tensor border =
      std::get<0>(torch::kthvalue(magnitudes.cpu(), gone, 0)).to(magnitudes.device());
  for (torch::Tensor weight : weights) weight.mul_(weight.abs().gt(border));
}

}  // namespace vestige::models
