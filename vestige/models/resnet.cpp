// Basic and bottleneck blocks, four stages of them, and the two stems.
#include "vestige/models/resnet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "vestige/models/layers.h"

namespace vestige::models {
namespace {

constexpr std::int64_t kResnetSmallImage = 64;  // pixels; the largest with the 3x3 stem
constexpr std::array<std::int64_t, 4> kResnetWidths{64, 128, 256, 512};

/// Blocks of a stage, and whether they are bottlenecks.
struct ResnetPlan {
  std::array<std::int64_t, 4> blocks;
  bool bottleneck;
};

constexpr ResnetPlan kResnet18{{2, 2, 2, 2}, false};
constexpr ResnetPlan kResnet34{{3, 4, 6, 3}, false};
constexpr ResnetPlan kResnet50{{3, 4, 6, 3}, true};
/// Channels at the end of a bottleneck over those inside it.
constexpr std::int64_t kBottleneckExpansion = 4;

/// Convolutions around which the input is added, through a 1x1 convolution where the shape changes
/// (option B of the paper). Basic: two of 3x3. Bottleneck: 1x1, 3x3 and 1x1 to four times the
/// channels, the stride at the 3x3, as torchvision and most published code have it.
class ResidualBlock : public torch::nn::Module {
 public:
  ResidualBlock(std::int64_t copies, std::int64_t in, std::int64_t width, std::int64_t stride,
                bool bottleneck) {
    const std::int64_t out = bottleneck ? kBottleneckExpansion * width : width;
    if (bottleneck) {
      add(copies, {.in = in, .out = width, .kernel = 1});
      add(copies, {.in = width, .out = width, .stride = stride, .padding = 1});
      add(copies, {.in = width, .out = out, .kernel = 1});
    } else {
      add(copies, {.in = in, .out = width, .stride = stride, .padding = 1});
      add(copies, {.in = width, .out = out, .padding = 1});
    }
    if (stride != 1 || in != out) {
      shortcut_ = register_module(
          "shortcut",
          std::make_shared<NormedConvolution>(
              copies, ConvolutionOptions{.in = in, .out = out, .kernel = 1, .stride = stride}));
    }
  }

  torch::Tensor forward(const torch::Tensor& channels) const {
    torch::Tensor inner = convolutions_.front()->forward(channels);
    for (std::size_t place = 1; place < convolutions_.size(); ++place) {
      inner = convolutions_[place]->forward(torch::relu(inner));
    }
    return torch::relu(inner + (shortcut_ ? shortcut_->forward(channels) : channels));
  }

 private:
  void add(std::int64_t copies, const ConvolutionOptions& options) {
    convolutions_.push_back(register_module(fmt::format("conv{}", convolutions_.size() + 1),
                                            std::make_shared<NormedConvolution>(copies, options)));
  }

  std::vector<std::shared_ptr<NormedConvolution>> convolutions_;
  std::shared_ptr<NormedConvolution> shortcut_;
};

class ResNet : public Network {
 public:
  ResNet(const ResnetPlan& plan, std::int64_t copies, const ImageShape& image, std::int64_t classes,
         bool large, std::int64_t resize)
      : Network(copies), large_(large), resize_(resize) {
    ConvolutionOptions stem{.in = image.channels, .out = kResnetWidths[0], .padding = 1};
    if (large_)
      stem = {
          .in = image.channels, .out = kResnetWidths[0], .kernel = 7, .stride = 2, .padding = 3};
    stem_ = register_module("stem", std::make_shared<NormedConvolution>(copies, stem));
    std::int64_t in = kResnetWidths[0];
    for (std::size_t stage = 0; stage < kResnetWidths.size(); ++stage) {
      for (std::int64_t block = 1; block <= plan.blocks[stage]; ++block) {
        const std::string name = fmt::format("block{}_{}", stage + 1, block);
        const std::int64_t stride = stage > 0 && block == 1 ? 2 : 1;
        stages_[stage].push_back(
            register_module(name, std::make_shared<ResidualBlock>(copies, in, kResnetWidths[stage],
                                                                  stride, plan.bottleneck)));
        in = plan.bottleneck ? kBottleneckExpansion * kResnetWidths[stage] : kResnetWidths[stage];
      }
    }
    output_ = register_module("output", std::make_shared<Linear>(copies, in, classes));
  }

  torch::Tensor forward(const torch::Tensor& inputs, Taps* taps) override {
    torch::Tensor value = torch::relu(stem_->forward(resized(to_channels(inputs), resize_)));
    if (large_) value = torch::max_pool2d(value, 3, 2, 1);
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      for (const auto& block : stages_[stage]) value = block->forward(value);
      value = tap_channels(taps, "block" + std::to_string(stage + 1), value, copies());
    }
    value = tap(taps, "penultimate", average_pool(value, copies()));
    return tap(taps, "logits", output_->forward(value));
  }

  std::vector<std::string> tap_names() const override {
    return {"block1", "block2", "block3", "block4", "penultimate", "logits"};
  }

 private:
  bool large_;           ///< 7x7 of stride 2 and a max pool
  std::int64_t resize_;  ///< 0: as it is
  std::shared_ptr<NormedConvolution> stem_;
  std::array<std::vector<std::shared_ptr<ResidualBlock>>, 4> stages_;
  std::shared_ptr<Linear> output_;
};

NetworkPointer resnet(const char* name, const ResnetPlan& plan, Options& options,
                      const Shape& shape, std::int64_t copies) {
  const std::int64_t resize = read_resize(options);
  const ImageShape image = image_shape(resized(shape, resize), name, 8);
  const std::string stem = options.choice("stem", "auto", {"auto", "cifar", "imagenet"});
  const bool large =
      stem == "auto" ? std::max(image.height, image.width) > kResnetSmallImage : stem == "imagenet";
  return std::make_shared<ResNet>(plan, copies, image, shape.classes, large, resize);
}

}  // namespace

NetworkPointer resnet18(Options& options, const Shape& shape, std::int64_t copies) {
  return resnet("resnet18", kResnet18, options, shape, copies);
}

NetworkPointer resnet34(Options& options, const Shape& shape, std::int64_t copies) {
  return resnet("resnet34", kResnet34, options, shape, copies);
}

NetworkPointer resnet50(Options& options, const Shape& shape, std::int64_t copies) {
  return resnet("resnet50", kResnet50, options, shape, copies);
}

}  // namespace vestige::models
