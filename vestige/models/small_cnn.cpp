// Two convolutions and two linear layers.
#include "vestige/models/small_cnn.h"

#include "vestige/models/layers.h"
#include "vestige/models/pooling.h"

namespace vestige::models {
namespace {

constexpr std::int64_t kHidden = 128;

class SmallCnn : public Network {
 public:
  SmallCnn(std::int64_t copies, const ImageShape& image, std::int64_t classes, std::int64_t width)
      : Network(copies) {
    conv1_ = register_module(
        "conv1", std::make_shared<Convolution>(
                     copies, ConvolutionOptions{.in = image.channels, .out = width, .padding = 1}));
    conv2_ = register_module(
        "conv2", std::make_shared<Convolution>(
                     copies, ConvolutionOptions{.in = width, .out = 2 * width, .padding = 1}));
    const std::int64_t columns = 2 * width * (image.height / 4) * (image.width / 4);
    linear1_ = register_module("linear1", std::make_shared<Linear>(copies, columns, kHidden));
    linear2_ = register_module("linear2", std::make_shared<Linear>(copies, kHidden, classes));
  }

  torch::Tensor forward(const torch::Tensor& inputs, Taps* taps) override {
    torch::Tensor value =
        rectified_pool(taps, "conv1", conv1_->forward(to_channels(inputs)), copies());
    value = rectified_pool(taps, "conv2", conv2_->forward(value), copies());
    value = torch::relu(linear1_->forward(from_channels(value, copies())));
    value = tap(taps, "penultimate", value);
    return tap(taps, "logits", linear2_->forward(value));
  }

  std::vector<std::string> tap_names() const override {
    return {"conv1", "conv2", "penultimate", "logits"};
  }

 private:
  std::shared_ptr<Convolution> conv1_;
  std::shared_ptr<Convolution> conv2_;
  std::shared_ptr<Linear> linear1_;
  std::shared_ptr<Linear> linear2_;
};

}  // namespace

NetworkPointer small_cnn(Options& options, const Shape& shape, std::int64_t copies) {
  const std::int64_t width = options.integer("width", 16);
  if (width < 1) options.wrong("width", "it must be at least 1");
  return std::make_shared<SmallCnn>(copies, image_shape(shape, "small_cnn", 4), shape.classes,
                                    width);
}

}  // namespace vestige::models
