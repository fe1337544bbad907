// What a network says of rows: logits, taps and saliency maps, at one with hand calculations.
#include "vestige/collect/outputs.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "vestige/data/dataset.h"
#include "vestige/train/batches/samples.h"

namespace vestige::collect {
namespace {

/// A network whose logits and gradients are plain: logits = (2 * sum of inputs, 0).
class Sum : public models::Network {
 public:
  Sum() : Network(1) {}
  torch::Tensor forward(const torch::Tensor& inputs, models::Taps* taps) override {
    torch::Tensor map = inputs * 2;  // [1, b, channels, h, w]
    if (taps != nullptr && taps->wanted.count("map") > 0) taps->values["map"] = map;
    const torch::Tensor sum = map.flatten(2).sum(2, true);
    const torch::Tensor logits = torch::cat({sum, torch::zeros_like(sum)}, 2);
    for (const char* name : {"penultimate", "logits"}) {
      if (taps != nullptr && taps->wanted.count(name) > 0) taps->values[name] = logits;
    }
    return logits;
  }
  std::vector<std::string> tap_names() const override { return {"map", "penultimate", "logits"}; }
};

data::Dataset two_images() {
  data::Dataset dataset;
  dataset.name = "two";
  dataset.shape = {1, 2, 2};
  dataset.bytes = {0, 51, 102, 153, 255, 255, 0, 0};
  dataset.labels = {0, 1};
  dataset.classes = 2;
  dataset.train_rows = 2;
  dataset.mean = {0};
  dataset.deviation = {1};
  data::finish(dataset);
  return dataset;
}

TEST(Outputs, AreWhatTheNetworkSays) {
  const train::Samples samples(two_images(), torch::Device("cpu"));
  Sum network;
  const Outputs outputs = outputs_of(network, samples, {0, 1}, {{"map"}, "gradient", "", false});
  // Inputs are bytes / 255: 2 * (0 + .2 + .4 + .6) = 2.4 and 2 * 2 = 4.
  const std::vector<double> logits = outputs.logits.doubles();
  EXPECT_NEAR(logits[0], 2.4, 1e-6);
  EXPECT_EQ(logits[1], 0);
  EXPECT_NEAR(logits[2], 4, 1e-6);
  EXPECT_EQ(outputs.activations.at("map").shape(), (std::vector<std::size_t>{2, 4}));
  EXPECT_NEAR(outputs.activations.at("map").doubles()[3], 1.2, 1e-6);
  // d logit of the true class / d pixel: 2 for class 0, 0 for class 1.
  EXPECT_EQ(outputs.saliency.doubles(), (std::vector<double>{2, 2, 2, 2, 0, 0, 0, 0}));
}

TEST(Outputs, GradCamWeighsTheTapByItsMeanGradient) {
  const train::Samples samples(two_images(), torch::Device("cpu"));
  Sum network;
  const Outputs outputs = outputs_of(network, samples, {0}, {{}, "grad_cam", "map", false});
  // The gradient of the logit at the map is 1 everywhere: the map itself, 2 * input.
  const std::vector<double> map = outputs.saliency.doubles();
  EXPECT_NEAR(map[1], 0.4, 1e-6);
  EXPECT_NEAR(map[3], 1.2, 1e-6);
}

TEST(Outputs, MapsAreEnlargedAndScaledToOne) {
  const train::Samples samples(two_images(), torch::Device("cpu"));
  Sum network;
  EXPECT_EQ(last_spatial_tap(network, samples), "map");
  const evidence::Array maps = grad_cam_maps(network, samples, {0, 1}, "map");
  EXPECT_EQ(maps.shape(), (std::vector<std::size_t>{2, 2, 2}));
  // Row 0: the map is 2 * input, its largest 1.2: 0, 1/3, 2/3, 1. Row 1 is of class 1, whose logit
  // does not depend on the image.
  const std::vector<double> expected = {0, 1.0 / 3, 2.0 / 3, 1, 0, 0, 0, 0};
  const std::vector<double> values = maps.doubles();
  for (std::size_t index = 0; index < 8; ++index) EXPECT_NEAR(values[index], expected[index], 5e-4);
}

TEST(Outputs, HalfPrecisionRoundsOnly) {
  const train::Samples samples(two_images(), torch::Device("cpu"));
  Sum network;
  const Outputs outputs = outputs_of(network, samples, {0}, {{}, "none", "", true});
  EXPECT_EQ(outputs.logits.dtype(), evidence::DType::float16);
  EXPECT_NEAR(outputs.logits.doubles()[0], 2.4, 2e-3);
}

}  // namespace
}  // namespace vestige::collect
