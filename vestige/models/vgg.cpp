// Five blocks of convolutions, a pool after each, and a linear classifier.
#include "vestige/models/vgg.h"

#include <fmt/format.h>

#include <array>

#include "vestige/models/layers.h"
#include "vestige/models/pooling.h"

namespace vestige::models {
namespace {

constexpr std::array<std::int64_t, 5> kVggWidths{64, 128, 256, 512, 512};
using Depths = std::array<std::int64_t, 5>;  // convolutions in each block

/// Convolutions with batch norm, and one linear layer.
class Vgg : public Network {
 public:
  Vgg(std::int64_t copies, std::int64_t channels, std::int64_t classes, const Depths& depths)
      : Network(copies) {
    for (std::size_t block = 0; block < kVggWidths.size(); ++block) {
      for (std::int64_t place = 1; place <= depths[block]; ++place) {
        const ConvolutionOptions options{.in = channels, .out = kVggWidths[block], .padding = 1};
        blocks_[block].push_back(
            register_module(fmt::format("block{}_{}", block + 1, place),
                            std::make_shared<NormedConvolution>(copies, options, true)));
        channels = kVggWidths[block];
      }
    }
    output_ = register_module("output", std::make_shared<Linear>(copies, channels, classes));
  }

  torch::Tensor forward(const torch::Tensor& inputs, Taps* taps) override {
    torch::Tensor value = to_channels(inputs);
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      for (const auto& convolution : blocks_[block]) {
        value = convolution->forward(value);
        if (convolution != blocks_[block].back()) value = torch::relu(value);
      }
      value = rectified_pool(taps, "block" + std::to_string(block + 1), value, copies());
    }
    value = tap(taps, "penultimate", average_pool(value, copies()));
    return tap(taps, "logits", output_->forward(value));
  }

  std::vector<std::string> tap_names() const override {
    return {"block1", "block2", "block3", "block4", "block5", "penultimate", "logits"};
  }

 private:
  std::array<std::vector<std::shared_ptr<NormedConvolution>>, 5> blocks_;
  std::shared_ptr<Linear> output_;
};

/// torchvision.models.vgg11 and vgg16 in evaluation: convolutions with bias and without batch norm,
/// maps averaged to 7 x 7, linear layers of 4,096, 4,096 and the classes.
class TorchvisionVgg : public Network {
 public:
  TorchvisionVgg(std::int64_t copies, std::int64_t channels, std::int64_t classes,
                 const Depths& depths)
      : Network(copies) {
    for (std::size_t block = 0; block < kVggWidths.size(); ++block) {
      for (std::int64_t place = 1; place <= depths[block]; ++place) {
        const ConvolutionOptions options{.in = channels, .out = kVggWidths[block], .padding = 1};
        blocks_[block].push_back(register_module(fmt::format("block{}_{}", block + 1, place),
                                                 std::make_shared<Convolution>(copies, options)));
        channels = kVggWidths[block];
      }
    }
    std::int64_t columns = channels * kSide * kSide;
    for (std::size_t place = 0; place < linear_.size(); ++place, columns = kHidden) {
      linear_[place] = register_module("linear" + std::to_string(place + 1),
                                       std::make_shared<Linear>(copies, columns, kHidden));
    }
    output_ = register_module("output", std::make_shared<Linear>(copies, columns, classes));
  }

  torch::Tensor forward(const torch::Tensor& inputs, Taps* taps) override {
    torch::Tensor value = to_channels(inputs);
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      for (const auto& convolution : blocks_[block]) {
        value = convolution->forward(value);
        if (convolution != blocks_[block].back()) value = torch::relu(value);
      }
      value = rectified_pool(taps, "block" + std::to_string(block + 1), value, copies());
    }
    value = to_images(torch::adaptive_avg_pool2d(value, {kSide, kSide}), copies()).flatten(2);
    for (const auto& linear : linear_) value = torch::relu(linear->forward(value));
    value = tap(taps, "penultimate", value);
    return tap(taps, "logits", output_->forward(value));
  }

  std::vector<std::string> tap_names() const override {
    return {"block1", "block2", "block3", "block4", "block5", "penultimate", "logits"};
  }

 private:
  static constexpr std::int64_t kSide = 7, kHidden = 4096;
  std::array<std::vector<std::shared_ptr<Convolution>>, 5> blocks_;
  std::array<std::shared_ptr<Linear>, 2> linear_;
  std::shared_ptr<Linear> output_;
};

NetworkPointer vgg(const char* name, const Depths& depths, Options& options, const Shape& shape,
                   std::int64_t copies) {
  const std::int64_t channels = image_shape(shape, name, 32).channels;
  if (options.choice("layout", "small", {"small", "torchvision"}) == "torchvision") {
    return std::make_shared<TorchvisionVgg>(copies, channels, shape.classes, depths);
  }
  return std::make_shared<Vgg>(copies, channels, shape.classes, depths);
}

}  // namespace

NetworkPointer vgg11(Options& options, const Shape& shape, std::int64_t copies) {
  return vgg("vgg11", {1, 1, 2, 2, 2}, options, shape, copies);
}

NetworkPointer vgg16(Options& options, const Shape& shape, std::int64_t copies) {
  return vgg("vgg16", {2, 2, 3, 3, 3}, options, shape, copies);
}

}  // namespace vestige::models
