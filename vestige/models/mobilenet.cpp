// Inverted residuals: a wide depthwise convolution between two narrow 1x1 ones.
#include "vestige/models/mobilenet.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "vestige/models/layers.h"

namespace vestige::models {
namespace {

constexpr std::int64_t kMobilenetSmallImage =
    64;  // pixels; the largest with strides 1 at the start
constexpr std::int64_t kStem = 32;
constexpr std::int64_t kLast = 1280;

// Table 2 of the paper: t, c, n, s.
struct Stage {
  std::int64_t expansion;
  std::int64_t width;
  std::int64_t blocks;
  std::int64_t stride;
};
constexpr std::array<Stage, 7> kStages{{{1, 16, 1, 1},
                                        {6, 24, 2, 2},
                                        {6, 32, 3, 2},
                                        {6, 64, 4, 2},
                                        {6, 96, 3, 1},
                                        {6, 160, 3, 2},
                                        {6, 320, 1, 1}}};

using MobilePiece = std::shared_ptr<NormedConvolution>;

class InvertedResidual : public torch::nn::Module {
 public:
  InvertedResidual(std::int64_t copies, std::int64_t in, std::int64_t out, std::int64_t stride,
                   std::int64_t expansion)
      : residual_(stride == 1 && in == out) {
    const std::int64_t inner = in * expansion;
    const auto add = [&](const std::string& name, const ConvolutionOptions& options) {
      return register_module(name, std::make_shared<NormedConvolution>(copies, options));
    };
    if (expansion > 1) expand_ = add("expand", {.in = in, .out = inner, .kernel = 1});
    depthwise_ = add("depthwise",
                     {.in = inner, .out = inner, .stride = stride, .padding = 1, .groups = inner});
    project_ = add("project", {.in = inner, .out = out, .kernel = 1});
  }

  torch::Tensor forward(const torch::Tensor& channels) const {
    torch::Tensor value = expand_ ? torch::relu6(expand_->forward(channels)) : channels;
    value = project_->forward(torch::relu6(depthwise_->forward(value)));
    return residual_ ? value + channels : value;
  }

 private:
  bool residual_;
  MobilePiece expand_;
  MobilePiece depthwise_;
  MobilePiece project_;
};

class MobileNetV2 : public Network {
 public:
  MobileNetV2(std::int64_t copies, const ImageShape& image, std::int64_t classes)
      : Network(copies) {
    const bool large = std::max(image.height, image.width) > kMobilenetSmallImage;
    const ConvolutionOptions stem{
        .in = image.channels, .out = kStem, .stride = large ? 2 : 1, .padding = 1};
    stem_ = register_module("stem", std::make_shared<NormedConvolution>(copies, stem));
    std::int64_t in = kStem;
    for (std::size_t stage = 0; stage < kStages.size(); ++stage) {
      const Stage& plan = kStages[stage];
      for (std::int64_t block = 1; block <= plan.blocks; ++block) {
        const bool keeps_size = block > 1 || (stage == 1 && !large);
        stages_[stage].push_back(register_module(
            fmt::format("stage{}_{}", stage + 1, block),
            std::make_shared<InvertedResidual>(copies, in, plan.width, keeps_size ? 1 : plan.stride,
                                               plan.expansion)));
        in = plan.width;
      }
    }
    const ConvolutionOptions last{.in = in, .out = kLast, .kernel = 1};
    last_ = register_module("last", std::make_shared<NormedConvolution>(copies, last));
    output_ = register_module("output", std::make_shared<Linear>(copies, kLast, classes));
  }

  torch::Tensor forward(const torch::Tensor& inputs, Taps* taps) override {
    torch::Tensor value = torch::relu6(stem_->forward(to_channels(inputs)));
    for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
      for (const auto& block : stages_[stage]) value = block->forward(value);
      value = tap_channels(taps, "stage" + std::to_string(stage + 1), value, copies());
    }
    value = torch::relu6(last_->forward(value));
    value = tap(taps, "penultimate", average_pool(value, copies()));
    return tap(taps, "logits", output_->forward(value));
  }

  std::vector<std::string> tap_names() const override {
    return {"stage1", "stage2", "stage3",      "stage4", "stage5",
            "stage6", "stage7", "penultimate", "logits"};
  }

 private:
  MobilePiece stem_;
  std::array<std::vector<std::shared_ptr<InvertedResidual>>, kStages.size()> stages_;
  MobilePiece last_;
  std::shared_ptr<Linear> output_;
};

}  // namespace

NetworkPointer mobilenet_v2(Options&, const Shape& shape, std::int64_t copies) {
  return std::make_shared<MobileNetV2>(copies, image_shape(shape, "mobilenet_v2", 8),
                                       shape.classes);
}

}  // namespace vestige::models
