// Picking layers and elements, fresh weights and noise.
#include "vestige/unlearn/parts/layers_of.h"

#include <gtest/gtest.h>

#include "tests/support.h"
#include "tests/unlearn/bench.h"

namespace vestige {
namespace {

using testing::error_of;
using testing::UnlearnBench;

models::NetworkPointer network_of(const std::string& name) {
  Options options(Json{{"name", name}}, "test");
  return models::make(options, {{3, 32, 32}, 10}, 1);
}

TEST(WeightLayers, FindsConvolutionsAndTheClassifier) {
  const models::NetworkPointer resnet = network_of("resnet18");
  const auto layers = unlearn::weight_layers(*resnet);
  // He et al. 2016: 17 3x3 convolutions, 3 projections, one linear layer.
  EXPECT_EQ(layers.size(), 21U);
  EXPECT_EQ(unlearn::convolutions(*resnet).size(), 20U);
  EXPECT_EQ(unlearn::classifier(*resnet).name, "output");
  EXPECT_EQ(unlearn::classifier(*resnet).weight.sizes(), at::IntArrayRef({1, 10, 512}));
  EXPECT_EQ(unlearn::first_convolution(*resnet).weight.sizes(), at::IntArrayRef({1, 64, 3, 3, 3}));
  // Attention has linear layers, but its positions [1, tokens, dim] are none of them.
  const models::NetworkPointer vit = network_of("vit");
  for (const auto& layer : unlearn::weight_layers(*vit)) {
    EXPECT_EQ(layer.name.find("embedding"), std::string::npos) << layer.name;
  }
  EXPECT_NE(error_of([] { unlearn::convolutions(*network_of("mlp")); }).find("no convolutions"),
            std::string::npos);
}

TEST(Lowest, TakesTheSmallestAndBreaksTiesByIndex) {
  const torch::Tensor values = torch::tensor({3.F, 1.F, 2.F, 1.F, 1.F}).view({1, 5});
  EXPECT_TRUE(torch::equal(unlearn::lowest(values, 0.4),
                           torch::tensor({false, true, false, true, false}).view({1, 5})));
  EXPECT_FALSE(unlearn::lowest(values, 0).any().item<bool>());
  EXPECT_TRUE(unlearn::lowest(values, 1).all().item<bool>());
  // Together: 0.5 and 0.1 are the two smallest of four.
  const auto masks =
      unlearn::lowest_of_all({torch::tensor({0.5F, 9.F}), torch::tensor({0.1F, 8.F})}, 0.5);
  EXPECT_TRUE(torch::equal(masks[0], torch::tensor({true, false})));
  EXPECT_TRUE(torch::equal(masks[1], torch::tensor({true, false})));
}

TEST(RandomLayers, AreDistinctAndAtLeastOne) {
  const auto layers = unlearn::weight_layers(*network_of("resnet18"));
  Stream stream(1, "test");
  EXPECT_EQ(unlearn::random_layers(layers, 0.5, stream).size(), 11U);  // round(10.5)
  EXPECT_EQ(unlearn::random_layers(layers, 0.001, stream).size(), 1U);
  EXPECT_EQ(unlearn::random_layers(layers, 1, stream).size(), 21U);
  EXPECT_TRUE(unlearn::random_layers(layers, 0, stream).empty());
}

TEST(Reinitialise, ChangesWhatItIsToldAndNothingElse) {
  UnlearnBench& bench = UnlearnBench::of("random");
  unlearn::Problem problem = bench.problem();
  unlearn::reinitialise(problem, {unlearn::classifier(problem.network)}, 5);
  EXPECT_EQ(testing::changed(problem.network, bench.original()),
            (std::vector<std::string>{"linear2.weight", "linear2.bias"}));
  const models::NetworkPointer fresh = unlearn::fresh_network(problem, 5);
  EXPECT_TRUE(torch::equal(unlearn::classifier(problem.network).weight,
                           unlearn::classifier(*fresh).weight));

  unlearn::Problem masked = bench.problem();
  const unlearn::WeightLayer first = unlearn::first_convolution(masked.network);
  const torch::Tensor before = first.weight.detach().clone();
  const torch::Tensor mask = unlearn::lowest(before.abs(), 0.25);
  unlearn::reinitialise(masked, {first}, {mask}, 5);
  EXPECT_TRUE(torch::equal(first.weight.masked_select(~mask), before.masked_select(~mask)));
  EXPECT_TRUE(torch::equal(first.weight.masked_select(mask),
                           unlearn::first_convolution(*fresh).weight.masked_select(mask)));
  EXPECT_EQ(testing::changed(masked.network, bench.original()),
            std::vector<std::string>{"conv1.weight"});
}

TEST(AddNoise, HasTheDeviationThatWasAsked) {
  const torch::Tensor values = torch::ones({1, 40, 50, 5, 5});
  Stream stream(3, "test");
  unlearn::add_noise({values}, 0.6, stream);
  // 50,000 draws: the standard error of the deviation is .6 / sqrt(1e5) = .0019, of the mean .0027.
  EXPECT_NEAR(values.std().item<double>(), 0.6, 0.008);
  EXPECT_NEAR(values.mean().item<double>(), 1, 0.011);
}

}  // namespace
}  // namespace vestige
