// Preconditioning.
#include "vestige/models/denoiser.h"

#include <cmath>

#include "vestige/models/layers.h"

namespace vestige::models {
namespace {

/// [k, batch] -> [k, batch, 1, 1, 1], to be multiplied with images.
torch::Tensor spread(const torch::Tensor& values) {
  return values.unsqueeze(-1).unsqueeze(-1).unsqueeze(-1);
}

}  // namespace

NoiseScales noise_scales(const torch::Tensor& sigma, double sigma_data) {
  const torch::Tensor total = sigma.square() + sigma_data * sigma_data;
  const torch::Tensor root = total.sqrt();
  return {.skip = sigma_data * sigma_data / total,
          .out = sigma * sigma_data / root,
          .in = root.reciprocal(),
          .noise = sigma.log() / 4,
          .weight = total / (sigma * sigma_data).square()};
}

torch::Tensor Denoiser::clean(const torch::Tensor& inputs) const {
  if (side_ == 0) return inputs * kSigmaData;
  return to_images(resized(to_channels(inputs), side_), inputs.size(0)) * kSigmaData;
}

torch::Tensor Denoiser::denoise(const torch::Tensor& noisy, const torch::Tensor& sigma,
                                Taps* taps) {
  const NoiseScales scales = noise_scales(sigma);
  return spread(scales.skip) * noisy +
         spread(scales.out) * raw(spread(scales.in) * noisy, scales.noise, taps);
}

torch::Tensor Denoiser::forward(const torch::Tensor& inputs, Taps* taps) {
  const torch::Tensor rows = clean(inputs);
  const torch::Tensor sigma =
      torch::full({rows.size(0), rows.size(1)}, std::exp(kLogSigmaMean), rows.options());
  return denoise(rows, sigma, taps).flatten(2);
}

Denoiser* as_denoiser(Network& network) { return dynamic_cast<Denoiser*>(&network); }

}  // namespace vestige::models
