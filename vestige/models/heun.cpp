// The sampler.
#include "vestige/models/heun.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "vestige/base/interrupt.h"
#include "vestige/base/seed.h"

namespace vestige::models {

std::vector<double> heun_levels(const HeunSettings& settings) {
  assert(settings.steps >= 2);
  const double first = std::pow(settings.highest, 1 / settings.rho);
  const double last = std::pow(settings.lowest, 1 / settings.rho);
  std::vector<double> levels;
  for (std::int64_t step = 0; step < settings.steps; ++step) {
    const double share = static_cast<double>(step) / static_cast<double>(settings.steps - 1);
    levels.push_back(std::pow(first + share * (last - first), settings.rho));
  }
  levels.push_back(0);
  return levels;
}

torch::Tensor heun(const DenoiseFunction& denoise, const torch::Tensor& noise,
                   const HeunSettings& settings) {
  const std::vector<double> levels = heun_levels(settings);
  torch::Tensor value = noise.to(torch::kFloat64) * levels.front();
  const auto slope = [&](const torch::Tensor& at, double sigma) {
    return (at - denoise(at, sigma).to(torch::kFloat64)) / sigma;
  };
  for (std::size_t step = 0; step + 1 < levels.size(); ++step) {
    check_interrupt();
    const double from = levels[step], to = levels[step + 1];
    const torch::Tensor first = slope(value, from);
    const torch::Tensor tried = value + (to - from) * first;
    value = to > 0 ? value + (to - from) * 0.5 * (first + slope(tried, to)) : tried;
  }
  return value;
}

torch::Tensor sampled(Denoiser& network, std::int64_t count, std::uint64_t seed,
                      const HeunSettings& settings) {
  constexpr std::int64_t kBatch = 256;
  assert(network.copies() == 1);
  const torch::NoGradGuard no_gradient;
  network.eval();
  const torch::Device device = network.parameters().front().device();
  std::vector<std::int64_t> sizes{0};
  for (const std::int64_t size : network.image()) sizes.push_back(size);
  std::vector<torch::Tensor> parts;
  for (std::int64_t first = 0; first < count; first += kBatch) {
    sizes[0] = std::min(kBatch, count - first);
    torch::Tensor noise = torch::empty(sizes, torch::kFloat32);
    const std::int64_t pixels = noise.numel() / sizes[0];
    for (std::int64_t row = 0; row < sizes[0]; ++row) {
      Stream stream(seed, "sample", static_cast<std::uint64_t>(first + row));
      float* const values = noise.data_ptr<float>() + row * pixels;
      std::generate(values, values + pixels, [&] { return static_cast<float>(stream.normal()); });
    }
    const auto denoise = [&](const torch::Tensor& noisy, double sigma) {
      const torch::Tensor images = noisy.to(torch::kFloat32).unsqueeze(0);
      const torch::Tensor level = torch::full({1, images.size(1)}, sigma, images.options());
      return network.denoise(images, level)[0];
    };
    parts.push_back(heun(denoise, noise.to(device), settings).to(torch::kFloat32).cpu());
  }
  return torch::cat(parts);
}

}  // namespace vestige::models
