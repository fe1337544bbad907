// Dense layers that add `growth` channels each, and the transitions between blocks.
#include "vestige/models/densenet.h"

#include <fmt/format.h>

#include <array>

#include "vestige/models/layers.h"

namespace vestige::models {
namespace {

/// Batch norm, relu, convolution: the order of pre-activation networks.
class NormThenConvolution : public torch::nn::Module {
 public:
  NormThenConvolution(std::int64_t copies, ConvolutionOptions options) {
    options.bias = false;
    norm_ = register_module("norm", std::make_shared<BatchNorm>(copies, options.in));
    convolution_ = register_module("conv", std::make_shared<Convolution>(copies, options));
  }
  torch::Tensor forward(const torch::Tensor& channels) const {
    return convolution_->forward(torch::relu(norm_->forward(channels)));
  }

 private:
  std::shared_ptr<BatchNorm> norm_;
  std::shared_ptr<Convolution> convolution_;
};

using DensePiece = std::shared_ptr<NormThenConvolution>;

/// 1x1 to 4 growth channels, 3x3 to growth channels, which join the input.
struct DenseLayer {
  DensePiece bottleneck;
  DensePiece growth;
};

class DenseNet : public Network {
 public:
  DenseNet(std::int64_t copies, std::int64_t in, std::int64_t classes, std::int64_t layers,
           std::int64_t growth)
      : Network(copies) {
    std::int64_t channels = 2 * growth;
    stem_ = register_module(
        "stem",
        std::make_shared<Convolution>(
            copies, ConvolutionOptions{.in = in, .out = channels, .padding = 1, .bias = false}));
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      for (std::int64_t place = 1; place <= layers; ++place, channels += growth) {
        const std::string name = fmt::format("block{}_{}", block + 1, place);
        blocks_[block].push_back(
            {add(name + "_bottleneck", {.in = channels, .out = 4 * growth, .kernel = 1}),
             add(name + "_growth", {.in = 4 * growth, .out = growth, .padding = 1})});
      }
      if (block == 2) break;
      transitions_[block] = add(fmt::format("transition{}", block + 1),
                                {.in = channels, .out = channels / 2, .kernel = 1});
      channels /= 2;
    }
    norm_ = register_module("norm", std::make_shared<BatchNorm>(copies, channels));
    output_ = register_module("output", std::make_shared<Linear>(copies, channels, classes));
  }

  torch::Tensor forward(const torch::Tensor& inputs, Taps* taps) override {
    torch::Tensor value = stem_->forward(to_channels(inputs));
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      for (const DenseLayer& layer : blocks_[block]) {
        const torch::Tensor grown = layer.growth->forward(layer.bottleneck->forward(value));
        value = join_channels(value, grown, copies());
      }
      if (block == 2) value = torch::relu(norm_->forward(value));
      value = tap_channels(taps, "block" + std::to_string(block + 1), value, copies());
      if (block < 2) value = torch::avg_pool2d(transitions_[block]->forward(value), 2);
    }
    value = tap(taps, "penultimate", average_pool(value, copies()));
    return tap(taps, "logits", output_->forward(value));
  }

  std::vector<std::string> tap_names() const override {
    return {"block1", "block2", "block3", "penultimate", "logits"};
  }

 private:
  DensePiece add(const std::string& name, const ConvolutionOptions& options) {
    return register_module(name, std::make_shared<NormThenConvolution>(copies(), options));
  }

  std::shared_ptr<Convolution> stem_;
  std::array<std::vector<DenseLayer>, 3> blocks_;
  std::array<DensePiece, 2> transitions_;
  std::shared_ptr<BatchNorm> norm_;
  std::shared_ptr<Linear> output_;
};

}  // namespace

NetworkPointer densenet(Options& options, const Shape& shape, std::int64_t copies) {
  const std::int64_t depth = options.integer("depth", 100);
  if (depth < 10 || (depth - 4) % 6 != 0) {
    options.wrong("depth",
                  fmt::format("{} is not 6 n + 4 with n at least 1: 40 and 100 are usual", depth));
  }
  const std::int64_t growth = options.integer("growth", 12);
  if (growth < 1) options.wrong("growth", "it must be at least 1");
  return std::make_shared<DenseNet>(copies, image_shape(shape, "densenet", 4).channels,
                                    shape.classes, (depth - 4) / 6, growth);
}

}  // namespace vestige::models
