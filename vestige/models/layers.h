// Layers that hold k copies of their weights: every parameter and buffer has a leading dimension k.
// Images travel as channels, [batch, k * channels, height, width], so that one grouped convolution
// serves all copies; rows travel as [k, batch, columns], for batched matrix products.
// There is no dropout anywhere: one seed then gives one model on any device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vestige/models/torch.h"

namespace vestige::models {

/// How one tensor of a layer begins: uniform in centre +- bound (bound 0: constant).
struct Start {
  std::string name;
  double centre = 0;
  double bound = 0;
};

/// The base of all layers that have weights; `initialise` fills what starts() lists.
class Layer : public torch::nn::Module {
 public:
  explicit Layer(std::int64_t copies) : copies_(copies) {}
  std::int64_t copies() const { return copies_; }
  const std::vector<Start>& starts() const { return starts_; }

 protected:
  /// Registers a parameter of shape [k, sizes...].
  torch::Tensor parameter(const Start& start, const std::vector<std::int64_t>& sizes);
  /// The same for a buffer, which the optimiser does not see.
  torch::Tensor buffer(const Start& start, const std::vector<std::int64_t>& sizes);

 private:
  std::vector<std::int64_t> with_copies(const std::vector<std::int64_t>& sizes) const;
  std::int64_t copies_;
  std::vector<Start> starts_;
};

struct ConvolutionOptions {
  std::int64_t in = 0;       ///< channels of one copy
  std::int64_t out = 0;      ///< channels of one copy
  std::int64_t kernel = 3;   ///< height and width
  std::int64_t stride = 1;   ///< in both directions
  std::int64_t padding = 0;  ///< zeros on each side
  std::int64_t groups = 1;   ///< within one copy
  bool bias = true;          ///< one per output channel
  bool zero = false;         ///< weights and bias begin at 0 instead of being drawn
};

/// weight [k, out, in / groups, kernel, kernel], bias [k, out]. Channels in, channels out.
class Convolution : public Layer {
 public:
  Convolution(std::int64_t copies, const ConvolutionOptions& options);
  torch::Tensor forward(const torch::Tensor& channels) const;

 private:
  ConvolutionOptions options_;
  torch::Tensor weight_;
  torch::Tensor bias_;
};

/// weight [k, out, in], bias [k, out]. [k, ..., in] -> [k, ..., out].
class Linear : public Layer {
 public:
  Linear(std::int64_t copies, std::int64_t in, std::int64_t out);
  torch::Tensor forward(const torch::Tensor& rows) const;

 private:
  torch::Tensor weight_;
  torch::Tensor bias_;
};

/// Per channel over batch, height and width: weight, bias, running_mean, running_var [k, C];
/// momentum 0.1, epsilon 1e-5 as in PyTorch. Uses the batch's statistics while is_training(); a
/// single value per channel is then an InputError, because it has no variance.
class BatchNorm : public Layer {
 public:
  BatchNorm(std::int64_t copies, std::int64_t channels);
  torch::Tensor forward(const torch::Tensor& channels) const;

 private:
  torch::Tensor weight_;
  torch::Tensor bias_;
  torch::Tensor running_mean_;
  torch::Tensor running_var_;
};

/// Over the last dimension: weight, bias [k, D]. [k, batch, tokens, D] in and out.
class LayerNorm : public Layer {
 public:
  LayerNorm(std::int64_t copies, std::int64_t width, double epsilon = 1e-5);
  torch::Tensor forward(const torch::Tensor& tokens) const;

 private:
  std::int64_t width_;
  double epsilon_;
  torch::Tensor weight_;
  torch::Tensor bias_;
};

/// Over the channels of a group, height and width: weight, bias [k, C]; epsilon 1e-5. Channels in
/// and out; no row sees another.
class GroupNorm : public Layer {
 public:
  /// `groups` divides `channels`, both of one copy.
  GroupNorm(std::int64_t copies, std::int64_t channels, std::int64_t groups);
  torch::Tensor forward(const torch::Tensor& channels) const;

 private:
  std::int64_t groups_;
  torch::Tensor weight_;
  torch::Tensor bias_;
};

/// A convolution and the batch norm after it, as children "conv" and "norm". Batch norm takes the
/// convolution's bias away again, so there is none, except where a published network has one.
class NormedConvolution : public torch::nn::Module {
 public:
  NormedConvolution(std::int64_t copies, ConvolutionOptions options, bool bias = false);
  torch::Tensor forward(const torch::Tensor& channels) const;

 private:
  std::shared_ptr<Convolution> convolution_;
  std::shared_ptr<BatchNorm> norm_;
};

/// [k, batch, C, H, W] -> [batch, k * C, H, W]; a view for k = 1.
torch::Tensor to_channels(const torch::Tensor& images);

/// [batch, k * C, H, W] -> [k, batch, C, H, W], a view.
torch::Tensor to_images(const torch::Tensor& channels, std::int64_t copies);

/// [batch, k * F, ...] -> [k, batch, everything else of a copy]; no copy for k = 1.
torch::Tensor from_channels(const torch::Tensor& channels, std::int64_t copies);

/// Images at `side` x `side` pixels, bilinear, as channels [batch, C, H, W]; 0: as they are.
torch::Tensor resized(const torch::Tensor& channels, std::int64_t side);

/// The mean over height and width: [batch, k * C, H, W] -> [k, batch, C].
torch::Tensor average_pool(const torch::Tensor& channels, std::int64_t copies);

/// Joins channels copy by copy: [batch, k * A, H, W], [batch, k * B, H, W] -> [batch, k * (A + B),
/// H, W], where each copy's A come before its B.
torch::Tensor join_channels(const torch::Tensor& first, const torch::Tensor& second,
                            std::int64_t copies);

}  // namespace vestige::models
