// Parameter counts against the published architectures or hand calculation, and options.
#include <gtest/gtest.h>

#include "tests/models/support.h"
#include "tests/support.h"

namespace vestige::models {
namespace {

using testing::network;
using vestige::testing::error_of;
using vestige::testing::holds;

std::int64_t count(const std::string& name, const Shape& shape = testing::kTinyImages,
                   Json settings = Json::object()) {
  return parameter_count(*network(name, {1}, shape, std::move(settings)));
}

TEST(SmallCnn, HasTheParametersCountedByHand) {
  // conv1 1*16*9 + 16 = 160, conv2 16*32*9 + 32 = 4,640, linear 32*7*7 * 128 + 128 = 200,832,
  // linear 128*10 + 10 = 1,290.
  EXPECT_EQ(count("small_cnn", {.input = {1, 28, 28}, .classes = 10}), 206922);
  // Width 4 on 4 x 4: 1*4*9 + 4 = 40, 4*8*9 + 8 = 296, 8*1*1 * 128 + 128 = 1,152, 128*2 + 2 = 258.
  EXPECT_EQ(count("small_cnn", {.input = {1, 4, 4}, .classes = 2}, {{"width", 4}}), 1746);
}

TEST(SmallCnn, TakesTheSmallestImage) {
  const Shape shape{.input = {1, 4, 5}, .classes = 2};
  const NetworkPointer pair = network("small_cnn", {1, 2}, shape);
  EXPECT_EQ(pair->forward(testing::inputs(2, 3, shape)).sizes(),
            (std::vector<std::int64_t>{2, 3, 2}));
}

TEST(SmallCnn, RefusesWidthZero) {
  EXPECT_TRUE(holds(error_of([] {
                      network("small_cnn", {1}, testing::kTinyImages, {{"width", 0}});
                    }),
                    {"[model]: width", "at least 1"}));
}

TEST(Mlp, HasTheParametersCountedByHand) {
  // Purchase-100: 600*1024 + 1024 = 615,424, 1024*512 + 512 = 524,800, 512*256 + 256 = 131,328,
  // 256*128 + 128 = 32,896, 128*100 + 100 = 12,900.
  EXPECT_EQ(count("mlp", {.input = {600}, .classes = 100}), 1317348);
}

TEST(Mlp, ComputesWhatItsFormulaSays) {
  const Shape shape{.input = {3}, .classes = 2};
  const NetworkPointer toy = network(
      "mlp", {9}, shape, {{"widths", std::vector<std::int64_t>{4}}, {"activation", "tanh"}});
  const auto weights = toy->named_parameters();
  const torch::Tensor rows = testing::inputs(1, 5, shape);
  const torch::Tensor hidden =
      torch::tanh(rows[0].matmul(weights["hidden1.weight"][0].t()) + weights["hidden1.bias"][0]);
  const torch::Tensor logits =
      hidden.matmul(weights["output.weight"][0].t()) + weights["output.bias"][0];
  EXPECT_LT(testing::largest_difference(toy->forward(rows)[0], logits), 1e-6);
}

TEST(Mlp, RefusesUnknownActivationAndWidthZero) {
  EXPECT_TRUE(holds(error_of([] {
                      network("mlp", {1}, testing::kTinyImages, {{"activation", "tan"}});
                    }),
                    {"activation", "'tan'", "'tanh'"}));
  EXPECT_TRUE(holds(
      error_of([] {
        network("mlp", {1}, testing::kTinyImages, {{"widths", std::vector<std::int64_t>{4, 0}}});
      }),
      {"widths", "at least 1"}));
}

}  // namespace
}  // namespace vestige::models
