// Heun's deterministic sampler (Karras et al. 2022, Algorithm 1): from noise to pictures.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "vestige/models/denoiser.h"

namespace vestige::models {

struct HeunSettings {
  std::int64_t steps = 18;  ///< at least 2; 2 steps - 1 calls of the denoiser
  double lowest = 0.002;    ///< noise level of the last step but the one to 0
  double highest = 80;      ///< noise level of the start
  double rho = 7;           ///< how much denser levels lie near the lowest
};

/// sigma_0 > ... > sigma_(N - 1) > sigma_N = 0: (highest^(1/rho) + i / (N - 1) (lowest^(1/rho) -
/// highest^(1/rho)))^rho.
std::vector<double> heun_levels(const HeunSettings& settings);

/// D(x; sigma) for values of one noise level.
using DenoiseFunction = std::function<torch::Tensor(const torch::Tensor& noisy, double sigma)>;

/// Follows dx / dsigma = (x - D(x; sigma)) / sigma from `noise` (standard normal) times the highest
/// level to 0, in double.
torch::Tensor heun(const DenoiseFunction& denoise, const torch::Tensor& noise,
                   const HeunSettings& settings = {});

/// `count` pictures of a network with one copy, [count, C, H, W] in the network's units. Picture i
/// begins with noise from the stream (seed, "sample", i), so that pictures of two models compare.
torch::Tensor sampled(Denoiser& network, std::int64_t count, std::uint64_t seed,
                      const HeunSettings& settings = {});

}  // namespace vestige::models
