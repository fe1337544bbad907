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

/// The same gradients by `step` and as a plan, whose rates wait on the device.
void expect_same_as_planned(const OptimizerSettings& settings, std::size_t rates_per_step) {
  torch::Tensor one = torch::tensor({{1.0F, -2.0F}, {0.5F, 3.0F}}).requires_grad_(true);
  torch::Tensor other = one.detach().clone().requires_grad_(true);
  Optimizer plain({one}, settings), planned({other}, settings);
  const std::vector<std::vector<double>> rates =
      rates_per_step == 1 ? std::vector<std::vector<double>>{{0.1}, {0.05}, {0.2}}
                          : std::vector<std::vector<double>>{{0.1, 0.2}, {0.05, 0.1}, {0.2, 0.3}};
  for (int round = 0; round < 2; ++round) {  // an epoch's plan after another
    planned.plan(rates);
    for (const std::vector<double>& now : rates) {
      const float scale = static_cast<float>(now[0]) * 3.0F + static_cast<float>(round);
      set_gradient(one, {scale, -1.0F, 0.5F, scale});
      set_gradient(other, {scale, -1.0F, 0.5F, scale});
      if (now.size() == 1) {
        plain.step(now[0]);
      } else {
        plain.step(now);
      }
      planned.next();
      planned.planned_step();
    }
  }
  EXPECT_TRUE(torch::allclose(one, other, 1e-5, 1e-6)) << one << other;
  EXPECT_FALSE(torch::allclose(one, torch::tensor({{1.0F, -2.0F}, {0.5F, 3.0F}}), 1e-2, 1e-2));
}

TEST(Optimizer, APlannedStepIsTheSameStep) {
  for (const std::size_t rates : {std::size_t{1}, std::size_t{2}}) {
    OptimizerSettings settings;
    settings.weight_decay = 0.01;
    expect_same_as_planned(settings, rates);
    settings.nesterov = true;
    expect_same_as_planned(settings, rates);
    settings.momentum = 0;
    settings.nesterov = false;
    expect_same_as_planned(settings, rates);
    settings.kind = "adam";
    expect_same_as_planned(settings, rates);
  }
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
