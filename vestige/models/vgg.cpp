// Five blocks of normed convolutions, a pool after each, and a linear classifier.
#include "vestige/models/vgg.h"

#include <fmt/format.h>

#include <array>

#include "vestige/models/layers.h"
#include "vestige/models/pooling.h"

namespace vestige::models {
namespace {

constexpr std::array<std::int64_t, 5> kVggWidths{64, 128, 256, 512, 512};
using Depths = std::array<std::int64_t, 5>;  // convolutions in each block

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

NetworkPointer vgg(const char* name, const Depths& depths, const Shape& shape,
                   std::int64_t copies) {
  return std::make_shared<Vgg>(copies, image_shape(shape, name, 32).channels, shape.classes,
                               depths);
}

}  // namespace

NetworkPointer vgg11(Options&, const Shape& shape, std::int64_t copies) {
  return vgg("vgg11", {1, 1, 2, 2, 2}, shape, copies);
}

NetworkPointer vgg16(Options&, const Shape& shape, std::int64_t copies) {
  return vgg("vgg16", {2, 2, 3, 3, 3}, shape, copies);
}

}  // namespace vestige::models
