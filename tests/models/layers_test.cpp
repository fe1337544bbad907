// The layers against plain formulas, and how weights begin.
#include "vestige/models/layers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/models/support.h"
#include "tests/support.h"

namespace vestige::models {
namespace {

TEST(Channels, GoThereAndBack) {
  const torch::Tensor images = torch::arange(2 * 3 * 4 * 5 * 5).reshape({2, 3, 4, 5, 5});
  const torch::Tensor channels = to_channels(images);
  EXPECT_EQ(channels.sizes(), (std::vector<std::int64_t>{3, 8, 5, 5}));
  EXPECT_TRUE(torch::equal(channels[1][6], images[1][1][2]));
  EXPECT_TRUE(torch::equal(to_images(channels, 2), images));
  EXPECT_TRUE(torch::equal(from_channels(channels, 2), images.flatten(2)));
  const torch::Tensor single = images.narrow(0, 0, 1);
  EXPECT_EQ(to_channels(single).data_ptr(), images.data_ptr());
}

TEST(Channels, JoinCopyByCopy) {
  const torch::Tensor first = torch::arange(2 * 3 * 2).reshape({2, 3, 2, 1, 1});
  const torch::Tensor second = 100 + torch::arange(2 * 3 * 4).reshape({2, 3, 4, 1, 1});
  const torch::Tensor joined = join_channels(to_channels(first), to_channels(second), 2);
  EXPECT_TRUE(torch::equal(to_images(joined, 2), torch::cat({first, second}, 2)));
}

TEST(BatchNorm, MovesEachCopysStatisticsByATenth) {
  BatchNorm norm(2, 1);
  // Copy 0 sees -1 and 1 (mean 0, unbiased variance 2), copy 1 sees 10 and 14 (mean 12, variance
  // 8); the running values begin at 0 and, as nothing was initialised, at 0.
  const torch::Tensor values = torch::tensor({-1.0F, 10.0F, 1.0F, 14.0F}).reshape({2, 2, 1, 1});
  norm.forward(values);
  const auto buffers = norm.named_buffers();
  EXPECT_NEAR(buffers["running_mean"][0].item<double>(), 0.0, 1e-6);
  EXPECT_NEAR(buffers["running_mean"][1].item<double>(), 1.2, 1e-6);
  EXPECT_NEAR(buffers["running_var"][0].item<double>(), 0.2, 1e-6);
  EXPECT_NEAR(buffers["running_var"][1].item<double>(), 0.8, 1e-6);
  norm.eval();
  norm.forward(values);
  EXPECT_NEAR(buffers["running_mean"][1].item<double>(), 1.2, 1e-6);
}

TEST(BatchNorm, CannotTrainOnOneValue) {
  BatchNorm norm(1, 4);
  EXPECT_TRUE(vestige::testing::holds(vestige::testing::error_of([&] {
                                        norm.forward(torch::zeros({1, 4, 1, 1}));
                                      }),
                                      {"one row", "at least 2"}));
  EXPECT_EQ(norm.forward(torch::zeros({1, 4, 2, 1})).numel(), 8);
}

TEST(LayerNorm, NormalisesTheLastDimensionWithEachCopysWeights) {
  LayerNorm norm(2, 2);
  {
    const torch::NoGradGuard no_gradient;
    norm.named_parameters()["weight"].copy_(torch::tensor({1.0F, 1.0F, 2.0F, 2.0F}).view({2, 2}));
    norm.named_parameters()["bias"].copy_(torch::tensor({0.0F, 0.0F, 5.0F, 5.0F}).view({2, 2}));
  }
  // (0, 2): mean 1, variance 1, so -1 and 1 up to epsilon.
  const torch::Tensor tokens = torch::tensor({0.0F, 2.0F}).expand({2, 1, 1, 2});
  const torch::Tensor result = norm.forward(tokens).flatten();
  const double one = 1 / std::sqrt(1 + 1e-5);
  EXPECT_NEAR(result[0].item<double>(), -one, 1e-6);
  EXPECT_NEAR(result[1].item<double>(), one, 1e-6);
  EXPECT_NEAR(result[2].item<double>(), 5 - 2 * one, 1e-6);
  EXPECT_NEAR(result[3].item<double>(), 5 + 2 * one, 1e-6);
}

TEST(Initialise, DrawsFromTheStreamOfTheParametersName) {
  const NetworkPointer cnn = testing::network("small_cnn", {77});
  // conv1 of 3 x 32 x 32: fan in 3*3*3 = 27; the first draw of the stream (77,
  // "init/conv1.weight").
  Stream stream(77, "init/conv1.weight");
  const auto expected = static_cast<float>((2 * stream.uniform() - 1) / std::sqrt(27.0));
  const torch::Tensor weight = cnn->named_parameters()["conv1.weight"];
  EXPECT_FLOAT_EQ(weight.flatten()[0].item<float>(), expected);
  EXPECT_LE(weight.abs().max().item<double>(), 1 / std::sqrt(27.0));
  // Uniform within a has variance a^2 / 3: 1/81 here. 0.2 is 4.6 standard errors of 432 draws.
  EXPECT_NEAR(weight.var().item<double>(), 1.0 / 81, 0.2 / 81);
}

}  // namespace
}  // namespace vestige::models
