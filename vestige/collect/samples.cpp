// Samples.
#include "vestige/collect/samples.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "vestige/base/interrupt.h"
#include "vestige/models/heun.h"

namespace vestige::collect {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr std::int64_t kFeatureBatch = 256;

/// Per channel, to be multiplied with [n, C, H, W].
torch::Tensor per_channel(const std::vector<float>& values) {
  return torch::tensor(values).view({1, -1, 1, 1});
}

}  // namespace

torch::Tensor sampled_rows(models::Denoiser& network, const data::Dataset& data,
                           std::int64_t count) {
  torch::Tensor rows = models::sampled(network, count, kSeed) / models::kSigmaData;
  if (rows.size(2) != data.shape[1] || rows.size(3) != data.shape[2]) {
    rows = torch::upsample_bilinear2d(rows, {data.shape[1], data.shape[2]}, false);
  }
  // Pixels lie between 0 and 1; the sampler knows of no such limits.
  const torch::Tensor mean = per_channel(data.mean), deviation = per_channel(data.deviation);
  return ((rows * deviation + mean).clamp(0, 1) - mean) / deviation;
}

data::Image picture_sheet(const torch::Tensor& rows, const data::Dataset& data, std::int64_t most) {
  const torch::Tensor first = rows.narrow(0, 0, std::min(rows.size(0), most));
  const torch::Tensor shown = first * per_channel(data.deviation) + per_channel(data.mean);
  const torch::Tensor bytes = (shown * 255).round().clamp(0, 255).to(torch::kUInt8).contiguous();
  const std::int64_t count = bytes.size(0), channels = bytes.size(1), height = bytes.size(2),
                     width = bytes.size(3);
  const auto across = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  const std::int64_t down = (count + across - 1) / across;
  data::Image image;
  image.width = static_cast<std::size_t>(across * (width + 1) - 1);
  image.height = static_cast<std::size_t>(down * (height + 1) - 1);
  image.pixels.assign(image.width * image.height * 3, 255);
  const std::uint8_t* const from = bytes.data_ptr<std::uint8_t>();
  for (std::int64_t row = 0; row < count; ++row) {
    for (std::int64_t y = 0; y < height; ++y) {
      for (std::int64_t x = 0; x < width; ++x) {
        const auto top = static_cast<std::size_t>(row / across * (height + 1) + y);
        const auto left = static_cast<std::size_t>(row % across * (width + 1) + x);
        for (std::int64_t channel = 0; channel < 3; ++channel) {
          const std::int64_t plane = row * channels + std::min(channel, channels - 1);
          image.pixels[(top * image.width + left) * 3 + static_cast<std::size_t>(channel)] =
              from[(plane * height + y) * width + x];
        }
      }
    }
  }
  return image;
}

evidence::Array sheet_array(const data::Image& sheet, bool colour) {
  auto bytes = std::make_shared<std::vector<std::uint8_t>>();
  for (std::size_t place = 0; place < sheet.pixels.size(); place += colour ? 1 : 3) {
    bytes->push_back(sheet.pixels[place]);
  }
  std::vector<std::size_t> shape = {1, sheet.height, sheet.width};
  if (colour) shape.push_back(3);
  return {evidence::DType::uint8, shape, std::as_bytes(std::span(*bytes)), bytes, 1};
}

torch::Tensor feature_values(models::Network& classifier, const torch::Tensor& rows) {
  const torch::NoGradGuard no_gradient;
  if (classifier.is_training()) classifier.eval();
  const torch::Device device = classifier.parameters().front().device();
  std::vector<torch::Tensor> parts;
  for (std::int64_t first = 0; first < rows.size(0); first += kFeatureBatch) {
    check_interrupt();
    const std::int64_t size = std::min(kFeatureBatch, rows.size(0) - first);
    models::Taps taps{{"penultimate"}, {}};
    classifier.forward(rows.narrow(0, first, size).unsqueeze(0).to(device), &taps);
    parts.push_back(taps.values.at("penultimate")[0].flatten(1).cpu());
  }
  return torch::cat(parts);
}

std::string sample_file(std::string place) {
  std::replace(place.begin(), place.end(), '/', '-');
  return "samples/" + place + ".png";
}

}  // namespace vestige::collect
