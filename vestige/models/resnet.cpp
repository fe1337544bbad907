// Basic blocks, four stages of them, and the two stems.
#include "vestige/models/resnet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "vestige/models/layers.h"

namespace vestige::models {
namespace {

constexpr std::int64_t kResnetSmallImage = 64;  // pixels; the largest with the 3x3 stem
constexpr std::array<std::int64_t, 4> kResnetWidths{64, 128, 256, 512};

/// Two 3x3 convolutions around which the input is added, through a 1x1 convolution where the shape
/// changes (option B of the paper).
class BasicBlock : public torch::nn::Module {
 public:
  BasicBlock(std::int64_t copies, std::int64_t in, std::int64_t out, std::int64_t stride) {
    conv1_ = add("conv1", copies, {.in = in, .out = out, .stride = stride, .padding = 1});
    conv2_ = add("conv2", copies, {.in = out, .out = out, .padding = 1});
    if (stride != 1 || in != out) {
      shortcut_ = add("shortcut", copies, {.in = in, .out = out, .kernel = 1, .stride = stride});
    }
  }

  torch::Tensor forward(const torch::Tensor& channels) const {
    const torch::Tensor inner = conv2_->forward(torch::relu(conv1_->forward(channels)));
    return torch::relu(inner + (shortcut_ ? shortcut_->forward(channels) : channels));
  }

 private:
  std::shared_ptr<NormedConvolution> add(const std::string& name, std::int64_t copies,
                                         const ConvolutionOptions& options) {
    return register_module(name, std::make_shared<NormedConvolution>(copies, options));
  }

  std::shared_ptr<NormedConvolution> conv1_;
  std::shared_ptr<NormedConvolution> conv2_;
  std::shared_ptr<NormedConvolution> shortcut_;
};

class ResNet18 : public Network {
 public:
  ResNet18(std::int64_t copies, const ImageShape& image, std::int64_t classes, bool large,
           std::int64_t resize)
      : Network(copies), large_(large), resize_(resize) {
    ConvolutionOptions stem{.in = image.channels, .out = kResnetWidths[0], .padding = 1};
    if (large_)
      stem = {
          .in = image.channels, .out = kResnetWidths[0], .kernel = 7, .stride = 2, .padding = 3};
    stem_ = register_module("stem", std::make_shared<NormedConvolution>(copies, stem));
    std::int64_t in = kResnetWidths[0];
    for (std::size_t stage = 0; stage < kResnetWidths.size(); ++stage) {
      for (std::int64_t block = 1; block <= 2; ++block) {
        const std::string name = fmt::format("block{}_{}", stage + 1, block);
        const std::int64_t stride = stage > 0 && block == 1 ? 2 : 1;
        blocks_.push_back(register_module(
            name, std::make_shared<BasicBlock>(copies, in, kResnetWidths[stage], stride)));
        in = kResnetWidths[stage];
      }
    }
    output_ = register_module("output", std::make_shared<Linear>(copies, in, classes));
  }

  torch::Tensor forward(const torch::Tensor& inputs, Taps* taps) override {
    torch::Tensor value = torch::relu(stem_->forward(resized(to_channels(inputs), resize_)));
    if (large_) value = torch::max_pool2d(value, 3, 2, 1);
    for (std::size_t stage = 0; stage < kResnetWidths.size(); ++stage) {
      value = blocks_[2 * stage + 1]->forward(blocks_[2 * stage]->forward(value));
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
  std::vector<std::shared_ptr<BasicBlock>> blocks_;
  std::shared_ptr<Linear> output_;
};

}  // namespace

NetworkPointer resnet18(Options& options, const Shape& shape, std::int64_t copies) {
  const std::int64_t resize = read_resize(options);
  const ImageShape image = image_shape(resized(shape, resize), "resnet18", 8);
  const std::string stem = options.choice("stem", "auto", {"auto", "cifar", "imagenet"});
  const bool large =
      stem == "auto" ? std::max(image.height, image.width) > kResnetSmallImage : stem == "imagenet";
  return std::make_shared<ResNet18>(copies, image, shape.classes, large, resize);
}

}  // namespace vestige::models
