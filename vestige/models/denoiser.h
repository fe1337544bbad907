// Networks that take noise away, with the preconditioning of Karras et al. 2022, "Elucidating the
// design space of diffusion-based generative models" (EDM), Table 1, column "Ours".
#pragma once

#include "vestige/models/network.h"

namespace vestige::models {

/// The deviation of clean rows in the network's units.
inline constexpr double kSigmaData = 0.5;
/// Noise levels in training: ln sigma is normal with this mean and deviation.
inline constexpr double kLogSigmaMean = -1.2;
inline constexpr double kLogSigmaDeviation = 1.2;

/// What the noise level does to what a network reads and says; each like `sigma`:
/// D(x; sigma) = skip x + out F(in x; noise), and the squared error counts `weight` times.
struct NoiseScales {
  torch::Tensor skip;    ///< s_d^2 / (sigma^2 + s_d^2)
  torch::Tensor out;     ///< sigma s_d / sqrt(sigma^2 + s_d^2)
  torch::Tensor in;      ///< 1 / sqrt(sigma^2 + s_d^2)
  torch::Tensor noise;   ///< ln(sigma) / 4
  torch::Tensor weight;  ///< (sigma^2 + s_d^2) / (sigma s_d)^2
};
NoiseScales noise_scales(const torch::Tensor& sigma, double sigma_data = kSigmaData);

/// The base of all denoisers: `denoise` is D, `raw` is F.
class Denoiser : public Network {
 public:
  /// `side`: pixels to which images are brought first; 0: as they are.
  Denoiser(std::int64_t copies, std::int64_t side) : Network(copies), side_(side) {}

  /// Normalised rows [k, batch, C, H, W] (deviation 1 over the data set) in the network's units:
  /// resized, with deviation kSigmaData.
  torch::Tensor clean(const torch::Tensor& inputs) const;

  /// D(noisy; sigma): rows [k, batch, C, H, W] in the network's units, sigma [k, batch] above 0.
  torch::Tensor denoise(const torch::Tensor& noisy, const torch::Tensor& sigma,
                        Taps* taps = nullptr);

  /// What every network can be asked: clean rows denoised at the median level of training, as
  /// [k, batch, pixels]. These are no logits.
  torch::Tensor forward(const torch::Tensor& inputs, Taps* taps = nullptr) override;

  /// {channels, height, width} of what it denoises, in its own size.
  virtual std::vector<std::int64_t> image() const = 0;

 protected:
  /// F: images [k, batch, C, H, W] of deviation 1, noise [k, batch].
  virtual torch::Tensor raw(const torch::Tensor& images, const torch::Tensor& noise,
                            Taps* taps) = 0;

 private:
  std::int64_t side_;
};

/// The network as a denoiser; nullptr if it is a classifier.
Denoiser* as_denoiser(Network& network);

}  // namespace vestige::models
