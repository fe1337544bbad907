// Eight normed convolutions and a linear classifier.
#include "vestige/models/allcnn.h"

#include <array>

#include "vestige/models/layers.h"

namespace vestige::models {
namespace {

struct Step {
  std::int64_t width;
  std::int64_t kernel;
  std::int64_t stride;
};

constexpr std::array<Step, 8> kSteps{{{96, 3, 1},
                                      {96, 3, 1},
                                      {192, 3, 2},
                                      {192, 3, 1},
                                      {192, 3, 1},
                                      {192, 3, 2},
                                      {192, 3, 1},
                                      {192, 1, 1}}};

class AllCnn : public Network {
 public:
  AllCnn(std::int64_t copies, std::int64_t channels, std::int64_t classes) : Network(copies) {
    for (const Step& step : kSteps) {
      const ConvolutionOptions options{.in = channels,
                                       .out = step.width,
                                       .kernel = step.kernel,
                                       .stride = step.stride,
                                       .padding = step.kernel / 2};
      convolutions_.push_back(
          register_module("conv" + std::to_string(convolutions_.size() + 1),
                          std::make_shared<NormedConvolution>(copies, options)));
      channels = step.width;
    }
    output_ = register_module("output", std::make_shared<Linear>(copies, channels, classes));
  }

  torch::Tensor forward(const torch::Tensor& inputs, Taps* taps) override {
    torch::Tensor value = to_channels(inputs);
    for (std::size_t place = 1; place <= convolutions_.size(); ++place) {
      value = torch::relu(convolutions_[place - 1]->forward(value));
      if (place % 2 == 0) {
        value = tap_channels(taps, "conv" + std::to_string(place), value, copies());
      }
    }
    value = tap(taps, "penultimate", average_pool(value, copies()));
    return tap(taps, "logits", output_->forward(value));
  }

  std::vector<std::string> tap_names() const override {
    return {"conv2", "conv4", "conv6", "conv8", "penultimate", "logits"};
  }

 private:
  std::vector<std::shared_ptr<NormedConvolution>> convolutions_;
  std::shared_ptr<Linear> output_;
};

}  // namespace

NetworkPointer allcnn(Options&, const Shape& shape, std::int64_t copies) {
  return std::make_shared<AllCnn>(copies, image_shape(shape, "allcnn", 4).channels, shape.classes);
}

}  // namespace vestige::models
