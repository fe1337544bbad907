// SGD and Adam steps against values worked out by hand from PyTorch's documented rules.
#include "vestige/train/optimizer.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vestige::train {
namespace {

torch::Tensor parameter(std::vector<float> values) {
  return torch::tensor(values).requires_grad_(true);
}

void set_gradient(torch::Tensor& target, std::vector<float> values) {
  target.mutable_grad() = torch::tensor(values).view(target.sizes());
}

TEST(Optimizer, SgdWithMomentumAndWeightDecay) {
  torch::Tensor weight = parameter({1.0F});
  OptimizerSettings settings;
  settings.momentum = 0.9;
  settings.weight_decay = 0.1;
  Optimizer optimizer({weight}, settings);
  set_gradient(weight, {0.5F});
  optimizer.step(0.1);  // g = .5 + .1 * 1 = .6; buffer = .6; w = 1 - .06
  EXPECT_NEAR(weight.item<float>(), 0.94F, 1e-6);
  set_gradient(weight, {0.5F});
  optimizer.step(0.1);  // g = .5 + .094 = .594; buffer = .54 + .594 = 1.134; w = .94 - .1134
  EXPECT_NEAR(weight.item<float>(), 0.8266F, 1e-6);
}

TEST(Optimizer, Nesterov) {
  torch::Tensor weight = parameter({0.0F});
  OptimizerSettings settings;
  settings.nesterov = true;
  Optimizer optimizer({weight}, settings);
  set_gradient(weight, {1.0F});
  optimizer.step(0.1);  // g + .9 * buffer = 1.9
  EXPECT_NEAR(weight.item<float>(), -0.19F, 1e-6);
}

TEST(Optimizer, AdamTwoSteps) {
  torch::Tensor weight = parameter({1.0F});
  OptimizerSettings settings;
  settings.kind = "adam";
  Optimizer optimizer({weight}, settings);
  set_gradient(weight, {0.5F});
  optimizer.step(0.1);  // bias-corrected first step is the sign: w = 1 - .1
  EXPECT_NEAR(weight.item<float>(), 0.9F, 1e-6);
  set_gradient(weight, {-1.0F});
  optimizer.step(0.1);
  // m = .9 * .05 - .1 = -.055, v = .999 * .00025 + .001 = .00124975; corrections .19 and .001999.
  const double expected = 0.9 - 0.1 * (-0.055 / 0.19) / std::sqrt(0.00124975 / 0.001999);
  EXPECT_NEAR(weight.item<float>(), expected, 1e-6);
}

TEST(Optimizer, EachCopyHasItsOwnRate) {
  torch::Tensor weight = torch::ones({2, 3}).requires_grad_(true);
  OptimizerSettings settings;
  settings.momentum = 0;
  Optimizer optimizer({weight}, settings);
  set_gradient(weight, {1, 1, 1, 1, 1, 1});
  optimizer.step(std::vector<double>{0.5, 0.25});
  EXPECT_TRUE(torch::allclose(weight[0], torch::full({3}, 0.5)));
  EXPECT_TRUE(torch::allclose(weight[1], torch::full({3}, 0.75)));
}

TEST(Optimizer, LeavesParametersWithoutGradientAlone) {
  torch::Tensor weight = parameter({1.0F});
  OptimizerSettings settings;
  settings.weight_decay = 1;
  Optimizer optimizer({weight}, settings);
  optimizer.step(0.1);
  EXPECT_EQ(weight.item<float>(), 1.0F);
}

}  // namespace
}  // namespace vestige::train
