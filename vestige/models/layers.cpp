// The layers: one grouped convolution, one batched product or one norm for all k copies.
#include "vestige/models/layers.h"

#include <algorithm>
#include <cmath>

#include "vestige/base/error.h"

namespace vestige::models {
namespace {

constexpr double kMomentum = 0.1;
constexpr double kEpsilon = 1e-5;

// PyTorch's default for linear and convolution, weight and bias: kaiming_uniform_ with a = sqrt(5)
// is uniform within 1 / sqrt(fan in).
double default_bound(std::int64_t fan_in) {
  return 1.0 / std::sqrt(static_cast<double>(std::max<std::int64_t>(fan_in, 1)));
}

}  // namespace

std::vector<std::int64_t> Layer::with_copies(const std::vector<std::int64_t>& sizes) const {
  std::vector<std::int64_t> all{copies_};
  all.insert(all.end(), sizes.begin(), sizes.end());
  return all;
}

torch::Tensor Layer::parameter(const Start& start, const std::vector<std::int64_t>& sizes) {
  starts_.push_back(start);
  return register_parameter(start.name, torch::zeros(with_copies(sizes), torch::kFloat32));
}

torch::Tensor Layer::buffer(const Start& start, const std::vector<std::int64_t>& sizes) {
  starts_.push_back(start);
  return register_buffer(start.name, torch::zeros(with_copies(sizes), torch::kFloat32));
}

Convolution::Convolution(std::int64_t copies, const ConvolutionOptions& options)
    : Layer(copies), options_(options) {
  const std::int64_t in = options.in / options.groups;
  const double bound = options.zero ? 0 : default_bound(in * options.kernel * options.kernel);
  weight_ = parameter({.name = "weight", .bound = bound},
                      {options.out, in, options.kernel, options.kernel});
  if (options.bias) bias_ = parameter({.name = "bias", .bound = bound}, {options.out});
}

torch::Tensor Convolution::forward(const torch::Tensor& channels) const {
  // squeeze keeps the strides that keep_channels_last gave; flatten guesses those of a single
  // channel.
  const torch::Tensor weight = copies() == 1 ? weight_.squeeze(0) : weight_.flatten(0, 1);
  return torch::conv2d(channels, weight, bias_.defined() ? bias_.flatten() : torch::Tensor(),
                       options_.stride, options_.padding, 1, copies() * options_.groups);
}

Linear::Linear(std::int64_t copies, std::int64_t in, std::int64_t out) : Layer(copies) {
  const double bound = default_bound(in);
  weight_ = parameter({.name = "weight", .bound = bound}, {out, in});
  bias_ = parameter({.name = "bias", .bound = bound}, {out});
}

torch::Tensor Linear::forward(const torch::Tensor& rows) const {
  std::vector<std::int64_t> sizes = rows.sizes().vec();
  const torch::Tensor flat = rows.dim() == 3 ? rows : rows.flatten(1, -2);
  torch::Tensor result;
  if (copies() == 1) {
    // The single product is faster than a batch of one. squeeze, because the backward pass of an
    // index fills and copies a whole gradient.
    result = torch::addmm(bias_.squeeze(0), flat.squeeze(0), weight_.squeeze(0).t()).unsqueeze(0);
  } else {
    result = torch::baddbmm(bias_.unsqueeze(1), flat, weight_.transpose(1, 2));
  }
  sizes.back() = weight_.size(1);
  return result.view(sizes);
}

BatchNorm::BatchNorm(std::int64_t copies, std::int64_t channels) : Layer(copies) {
  weight_ = parameter({.name = "weight", .centre = 1}, {channels});
  bias_ = parameter({.name = "bias"}, {channels});
  running_mean_ = buffer({.name = "running_mean"}, {channels});
  running_var_ = buffer({.name = "running_var", .centre = 1}, {channels});
}

torch::Tensor BatchNorm::forward(const torch::Tensor& channels) const {
  require(!is_training() || channels.numel() > channels.size(1),
          "a batch of one row leaves batch norm a single value per channel: train with batches of "
          "at least 2 rows");
  return torch::batch_norm(channels, weight_.flatten(), bias_.flatten(), running_mean_.flatten(),
                           running_var_.flatten(), is_training(), kMomentum, kEpsilon, true);
}

LayerNorm::LayerNorm(std::int64_t copies, std::int64_t width, double epsilon)
    : Layer(copies), width_(width), epsilon_(epsilon) {
  weight_ = parameter({.name = "weight", .centre = 1}, {width});
  bias_ = parameter({.name = "bias"}, {width});
}

torch::Tensor LayerNorm::forward(const torch::Tensor& tokens) const {
  if (copies() == 1) {
    return torch::layer_norm(tokens, {width_}, weight_.flatten(), bias_.flatten(), epsilon_);
  }
  const std::vector<std::int64_t> spread{copies(), 1, 1, width_};
  return torch::layer_norm(tokens, {width_}, {}, {}, epsilon_) * weight_.view(spread) +
         bias_.view(spread);
}

GroupNorm::GroupNorm(std::int64_t copies, std::int64_t channels, std::int64_t groups)
    : Layer(copies), groups_(groups) {
  weight_ = parameter({.name = "weight", .centre = 1}, {channels});
  bias_ = parameter({.name = "bias"}, {channels});
}

torch::Tensor GroupNorm::forward(const torch::Tensor& channels) const {
  return torch::group_norm(channels, copies() * groups_, weight_.flatten(), bias_.flatten(),
                           kEpsilon);
}

NormedConvolution::NormedConvolution(std::int64_t copies, ConvolutionOptions options, bool bias) {
  options.bias = bias;
  convolution_ = register_module("conv", std::make_shared<Convolution>(copies, options));
  norm_ = register_module("norm", std::make_shared<BatchNorm>(copies, options.out));
}

torch::Tensor NormedConvolution::forward(const torch::Tensor& channels) const {
  return norm_->forward(convolution_->forward(channels));
}

torch::Tensor to_channels(const torch::Tensor& images) {
  if (images.size(0) == 1) return images.squeeze(0);
  return images.transpose(0, 1).flatten(1, 2);
}

torch::Tensor to_images(const torch::Tensor& channels, std::int64_t copies) {
  return channels.unflatten(1, {copies, channels.size(1) / copies}).transpose(0, 1);
}

torch::Tensor from_channels(const torch::Tensor& channels, std::int64_t copies) {
  // The columns are counted here, because reshape cannot guess them for an empty batch.
  std::int64_t columns = 1;
  for (const std::int64_t size : channels.sizes().slice(1)) columns *= size;
  return channels.reshape({channels.size(0), copies, columns / copies}).transpose(0, 1);
}

torch::Tensor resized(const torch::Tensor& channels, std::int64_t side) {
  if (side == 0 || (channels.size(2) == side && channels.size(3) == side)) return channels;
  return torch::upsample_bilinear2d(channels, {side, side}, false);
}

torch::Tensor average_pool(const torch::Tensor& channels, std::int64_t copies) {
  return from_channels(channels.mean({2, 3}), copies);
}

torch::Tensor join_channels(const torch::Tensor& first, const torch::Tensor& second,
                            std::int64_t copies) {
  if (copies == 1) return torch::cat({first, second}, 1);
  const auto split = [copies](const torch::Tensor& channels) {
    return channels.unflatten(1, {copies, channels.size(1) / copies});
  };
  return torch::cat({split(first), split(second)}, 2).flatten(1, 2);
}

}  // namespace vestige::models
