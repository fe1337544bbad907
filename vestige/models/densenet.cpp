// Dense layers that add `growth` channels each, and the transitions between blocks.
#include "vestige/models/densenet.h"

#include <fmt/format.h>

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

/// The dense blocks' sizes and what stands before them.
struct DensePlan {
  std::vector<std::int64_t> layers;  ///< of each block
  std::int64_t growth = 12;
  std::int64_t stem = 24;   ///< channels before the first block
  bool large_stem = false;  ///< 7x7 of stride 2, batch norm, relu, max pool; else one 3x3
};

class DenseNet : public Network {
 public:
  DenseNet(std::int64_t copies, std::int64_t in, std::int64_t classes, const DensePlan& plan)
      : Network(copies) {
    std::int64_t channels = plan.stem;
    ConvolutionOptions stem{.in = in, .out = channels, .padding = 1, .bias = false};
    if (plan.large_stem) {
      stem.kernel = 7;
      stem.stride = 2;
      stem.padding = 3;
      stem_norm_ = register_module("stem_norm", std::make_shared<BatchNorm>(copies, channels));
    }
    stem_ = register_module("stem", std::make_shared<Convolution>(copies, stem));
    for (std::size_t block = 0; block < plan.layers.size(); ++block) {
      std::vector<DenseLayer>& layers = blocks_.emplace_back();
      for (std::int64_t place = 1; place <= plan.layers[block]; ++place, channels += plan.growth) {
        const std::string name = fmt::format("block{}_{}", block + 1, place);
        layers.push_back(
            {add(name + "_bottleneck", {.in = channels, .out = 4 * plan.growth, .kernel = 1}),
             add(name + "_growth", {.in = 4 * plan.growth, .out = plan.growth, .padding = 1})});
      }
      if (block + 1 == plan.layers.size()) break;
      transitions_.push_back(add(fmt::format("transition{}", block + 1),
                                 {.in = channels, .out = channels / 2, .kernel = 1}));
      channels /= 2;
    }
    norm_ = register_module("norm", std::make_shared<BatchNorm>(copies, channels));
    output_ = register_module("output", std::make_shared<Linear>(copies, channels, classes));
  }

  torch::Tensor forward(const torch::Tensor& inputs, Taps* taps) override {
    torch::Tensor value = stem_->forward(to_channels(inputs));
    if (stem_norm_) {
      value = torch::max_pool2d(torch::relu(stem_norm_->forward(value)), 3, 2, 1);
    }
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      for (const DenseLayer& layer : blocks_[block]) {
        const torch::Tensor grown = layer.growth->forward(layer.bottleneck->forward(value));
        value = join_channels(value, grown, copies());
      }
      const bool last = block == transitions_.size();
      if (last) value = torch::relu(norm_->forward(value));
      value = tap_channels(taps, "block" + std::to_string(block + 1), value, copies());
      if (!last) value = torch::avg_pool2d(transitions_[block]->forward(value), 2);
    }
    value = tap(taps, "penultimate", average_pool(value, copies()));
    return tap(taps, "logits", output_->forward(value));
  }

  std::vector<std::string> tap_names() const override {
    std::vector<std::string> names;
    for (std::size_t block = 1; block <= blocks_.size(); ++block) {
      names.push_back("block" + std::to_string(block));
    }
    names.insert(names.end(), {"penultimate", "logits"});
    return names;
  }

 private:
  DensePiece add(const std::string& name, const ConvolutionOptions& options) {
    return register_module(name, std::make_shared<NormThenConvolution>(copies(), options));
  }

  std::shared_ptr<Convolution> stem_;
  std::shared_ptr<BatchNorm> stem_norm_;  ///< of a large stem only
  std::vector<std::vector<DenseLayer>> blocks_;
  std::vector<DensePiece> transitions_;
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
  const std::int64_t layers = (depth - 4) / 6;
  const DensePlan plan{.layers = {layers, layers, layers}, .growth = growth, .stem = 2 * growth};
  return std::make_shared<DenseNet>(copies, image_shape(shape, "densenet", 4).channels,
                                    shape.classes, plan);
}

NetworkPointer densenet121(Options&, const Shape& shape, std::int64_t copies) {
  const DensePlan plan{.layers = {6, 12, 24, 16}, .growth = 32, .stem = 64, .large_stem = true};
  return std::make_shared<DenseNet>(copies, image_shape(shape, "densenet121", 32).channels,
                                    shape.classes, plan);
}

}  // namespace vestige::models
