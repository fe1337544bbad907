// Parameter counts against the published architectures or hand calculation, and options.
#include <gtest/gtest.h>

#include <ctime>

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

TEST(AllCnn, HasTheParametersCountedByHand) {
  // Convolutions without bias: 3*96*9 = 2,592, 96*96*9 = 82,944, 96*192*9 = 165,888, four times
  // 192*192*9 = 331,776, 192*192 = 36,864; batch norm 2*(2*96 + 6*192) = 2,688; linear 192*10 + 10
  // = 1,930.
  EXPECT_EQ(count("allcnn"), 1620010);
}

TEST(ResNet18, HasThePublishedParameters) {
  // CIFAR-10 variant: 11,173,962, as github.com/kuangliu/pytorch-cifar and many papers count it.
  EXPECT_EQ(count("resnet18"), 11173962);
  // torchvision's resnet18 has 11,689,512 with 1,000 classes: its layer is 512*1000 + 1000.
  EXPECT_EQ(count("resnet18", {.input = {3, 224, 224}, .classes = 1000}), 11689512);
}

TEST(ResNet34, HasThePublishedParameters) {
  // By hand, with 3 x 3 convolutions from a to b channels of 9ab weights and norms of 2b: stem 3 to
  // 64, 1,728 + 128 = 1,856. Stage 1: six convolutions of 64, 6 (36,864 + 128) = 221,952. Stage s
  // of width w: one from w / 2, 4.5 w^2, 2 n - 1 of 9 w^2, a shortcut of w^2 / 2, and 2 n + 1 norms
  // of 2 w; n = 4, w = 128: 68 * 16,384 + 18 * 128 = 1,116,416; n = 6, w = 256: 104 * 65,536 + 26 *
  // 256 = 6,822,400; n = 3, w = 512: 50 * 262,144 + 14 * 512 = 13,114,368. Linear 5,130. Together
  // 21,282,122, as github.com/kuangliu/pytorch-cifar counts it.
  EXPECT_EQ(count("resnet34"), 1856 + 221952 + 1116416 + 6822400 + 13114368 + 5130);
  EXPECT_EQ(count("resnet34"), 21282122);
  // torchvision's resnet34 with 1,000 classes: 21,797,672.
  EXPECT_EQ(count("resnet34", {.input = {3, 224, 224}, .classes = 1000}), 21797672);
}

TEST(ResNet50, HasThePublishedParameters) {
  // By hand: a bottleneck of width w from a channels has a w + 9 w^2 + 4 w^2 weights and norms of 2
  // (w + w + 4 w) = 12 w; from 4 w it is 17 w^2 + 12 w. A stage of n from a channels has one
  // shortcut of 4 a w + 8 w besides. Stage 1, w = 64, a = 64, n = 3: (14 + 4) * 4,096 + 20 * 64 =
  // 75,008, and 2 (17 * 4,096 + 768) = 140,800. Later ones have a = 2 w: the first (15 + 8) w^2 +
  // 20 w, the others 17 w^2 + 12 w. w = 128, n = 4: 379,392 + 3 * 280,064 = 1,219,584; w = 256, n =
  // 6: 1,512,448 + 5 * 1,117,184 = 7,098,368; w = 512, n = 3: 6,039,552 + 2 * 4,462,592 =
  // 14,964,736. Stem 1,856, linear 2,048 * 10 + 10 = 20,490. Together 23,520,842, as
  // github.com/kuangliu/pytorch-cifar counts it.
  EXPECT_EQ(count("resnet50"), 1856 + 75008 + 140800 + 1219584 + 7098368 + 14964736 + 20490);
  EXPECT_EQ(count("resnet50"), 23520842);
  // torchvision's resnet50 with 1,000 classes: 25,557,032.
  EXPECT_EQ(count("resnet50", {.input = {3, 224, 224}, .classes = 1000}), 25557032);
}

TEST(ResNet50, StridesAtTheMiddleConvolution) {
  // 9 x 8 -> 9 x 8, 5 x 4, 3 x 2, 2 x 1, as halvings rounded up give it. The first convolution of a
  // stage sees its whole input: with the stride there instead, odd columns would count for nothing.
  const Shape shape{.input = {1, 9, 8}, .classes = 2};
  const NetworkPointer single = network("resnet50", {1}, shape);
  single->eval();
  Taps taps{.wanted = {"block1", "block2", "block4", "penultimate"}, .values = {}};
  single->forward(testing::inputs(1, 1, shape), &taps);
  EXPECT_EQ(taps.values["block1"].sizes(), (std::vector<std::int64_t>{1, 1, 256, 9, 8}));
  EXPECT_EQ(taps.values["block2"].sizes(), (std::vector<std::int64_t>{1, 1, 512, 5, 4}));
  EXPECT_EQ(taps.values["block4"].sizes(), (std::vector<std::int64_t>{1, 1, 2048, 2, 1}));
  EXPECT_EQ(taps.values["penultimate"].sizes(), (std::vector<std::int64_t>{1, 1, 2048}));
  const torch::Tensor before = taps.values["block1"];
  const auto slope = torch::autograd::grad({taps.values["block2"].sum()}, {before}, {}, false)[0];
  EXPECT_GT(slope.slice(4, 1, 8, 2).abs().max().item<double>(), 0);
}

TEST(ResNet18, TakesLargeImages) {
  const Shape shape{.input = {3, 72, 65}, .classes = 2};
  const NetworkPointer single = network("resnet18", {1}, shape);
  single->eval();
  Taps taps{.wanted = {"block1", "block4"}, .values = {}};
  EXPECT_EQ(single->forward(testing::inputs(1, 1, shape), &taps).sizes(),
            (std::vector<std::int64_t>{1, 1, 2}));
  // 72 x 65 -> stem 36 x 33 -> pool 18 x 17 -> three halvings, rounded up: 3 x 3.
  EXPECT_EQ(taps.values["block1"].sizes(), (std::vector<std::int64_t>{1, 1, 64, 18, 17}));
  EXPECT_EQ(taps.values["block4"].sizes(), (std::vector<std::int64_t>{1, 1, 512, 3, 3}));
}

TEST(Vit, HasTheParametersCountedByHand) {
  // Patches 3*4*4*192 + 192 = 9,408; class token 192; positions (64 + 1)*192 = 12,480; a block:
  // norms 4*192 = 768, qkv 192*576 + 576 = 111,168, projection 192*192 + 192 = 37,056, MLP 192*768
  // + 768 + 768*192 + 192 = 295,872, together 444,864, six times; norm 384; output 192*10 + 10 =
  // 1,930.
  EXPECT_EQ(count("vit"), 2693578);
  // ViT-Ti/16 at 224 pixels with 1,000 classes is published with 5,717,416 parameters (timm's
  // vit_tiny_patch16_224).
  EXPECT_EQ(count("vit", {.input = {3, 224, 224}, .classes = 1000}, {{"depth", 12}}), 5717416);
}

TEST(Vit, ChoosesThePatchByTheImage) {
  const auto weight = [](std::int64_t side) {
    const NetworkPointer single = network("vit", {1}, {.input = {1, side, side}, .classes = 2});
    return single->named_parameters()["patches.weight"].size(4);
  };
  EXPECT_EQ(weight(28), 4);
  EXPECT_EQ(weight(32), 4);
  EXPECT_EQ(weight(64), 8);
  EXPECT_EQ(weight(128), 16);
}

TEST(Vit, RefusesPatchesAndHeadsThatDoNotDivide) {
  EXPECT_TRUE(holds(error_of([] {
                      network("vit", {1}, {.input = {1, 30, 32}, .classes = 2});
                    }),
                    {"patch", "4 x 4", "30 x 32", "divisor"}));
  EXPECT_TRUE(holds(error_of([] {
                      network("vit", {1}, testing::kTinyImages, {{"heads", 5}});
                    }),
                    {"heads", "5 heads", "192"}));
  EXPECT_TRUE(holds(error_of([] {
                      network("vit", {1}, testing::kTinyImages, {{"depth", 0}});
                    }),
                    {"depth", "at least 1"}));
}

TEST(Vgg, HasThePublishedParameters) {
  // torchvision's feature layers have 9,220,480 and 14,714,688 parameters without batch norm, which
  // adds twice 2,752 and 4,224 channels; the linear layer 512*10 + 10 = 5,130.
  EXPECT_EQ(count("vgg11"), 9231114);
  EXPECT_EQ(count("vgg16"), 14728266);
  // torchvision.models.vgg11() and vgg16() with 1000 classes, as its documentation has them.
  const Shape imagenet{.input = {3, 32, 32}, .classes = 1000};
  EXPECT_EQ(count("vgg11", imagenet, {{"layout", "torchvision"}}), 132863336);
  EXPECT_EQ(count("vgg16", imagenet, {{"layout", "torchvision"}}), 138357544);
}

TEST(DenseNet, HasThePublishedParameters) {
  // DenseNet-BC-100-12: 0.8M in the paper's Table 2; 769,162 for CIFAR-10 in published PyTorch
  // code.
  EXPECT_EQ(count("densenet"), 769162);
  // torchvision.models.densenet121() with 1000 classes, as its documentation has it.
  EXPECT_EQ(count("densenet121", {.input = {3, 224, 224}, .classes = 1000}), 7978856);
}

TEST(DenseNet, RefusesOtherDepths) {
  EXPECT_TRUE(holds(error_of([] {
                      network("densenet", {1}, testing::kTinyImages, {{"depth", 41}});
                    }),
                    {"depth", "41", "6 n + 4"}));
  EXPECT_TRUE(holds(error_of([] {
                      network("densenet", {1}, testing::kTinyImages, {{"growth", 0}});
                    }),
                    {"growth", "at least 1"}));
}

TEST(MobileNetV2, HasThePublishedParameters) {
  // torchvision's mobilenet_v2: 3,504,872 with 1,000 classes, hence 3,504,872 - 990 * 1,281 =
  // 2,236,682 with 10.
  EXPECT_EQ(count("mobilenet_v2", {.input = {3, 224, 224}, .classes = 1000}), 3504872);
  EXPECT_EQ(count("mobilenet_v2"), 2236682);
}

TEST(MobileNetV2, KeepsSmallImagesLarger) {
  const auto last = [](std::int64_t side) {
    const Shape shape{.input = {3, side, side}, .classes = 2};
    const NetworkPointer single = network("mobilenet_v2", {1}, shape);
    single->eval();
    Taps taps{.wanted = {"stage7"}, .values = {}};
    single->forward(testing::inputs(1, 1, shape), &taps);
    return taps.values["stage7"].size(4);
  };
  EXPECT_EQ(last(32), 4);  // 8 times smaller
  EXPECT_EQ(last(96), 3);  // 32 times smaller, as in the paper
}

TEST(Initialise, FillsElevenMillionParametersInAboutASecond) {
  const NetworkPointer large = network("resnet18", {1});
  const std::clock_t start = std::clock();  // processor time: others' load does not count
  initialise(*large, 0, 2);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 1.5);
}

}  // namespace
}  // namespace vestige::models
