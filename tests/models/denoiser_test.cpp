// Preconditioning by hand, Heun's sampler on a denoiser with a closed form, and the U-Net's shapes,
// copies and refusals.
#include "vestige/models/denoiser.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/models/support.h"
#include "tests/support.h"
#include "vestige/models/heun.h"
#include "vestige/models/layers.h"
#include "vestige/models/weights/checkpoint.h"

namespace vestige::models {
namespace {

using testing::inputs;
using testing::largest_difference;
using testing::network;

const Json kSmallUnet = {{"width", 8}, {"multipliers", {1, 2}}};
const Shape kGrey{.input = {1, 8, 8}, .classes = 10};

/// A U-Net whose last layers are not 0, as they are at the start.
NetworkPointer shaken_unet(const std::vector<std::uint64_t>& seeds) {
  NetworkPointer result = network("unet", seeds, kGrey, kSmallUnet);
  const torch::NoGradGuard no_gradient;
  for (std::size_t copy = 0; copy < seeds.size(); ++copy) {
    for (const auto& parameter : result->named_parameters()) {
      torch::Tensor target = parameter.value().select(0, static_cast<std::int64_t>(copy));
      if (!target.eq(0).all().item<bool>()) continue;
      Stream stream(seeds[copy], parameter.key());
      for (float* place = target.data_ptr<float>();
           place != target.data_ptr<float>() + target.numel(); ++place) {
        *place = static_cast<float>(0.1 * stream.normal());
      }
    }
  }
  return result;
}

// Table 1 of Karras et al. 2022 with sigma_data 0.5, worked out by hand: at sigma = 0.5 both parts
// of the variance are 0.25; at sigma = 1.2 the root is exactly 1.3 (5-12-13).
TEST(NoiseScales, AreThePapers) {
  const NoiseScales scales = noise_scales(torch::tensor({0.5, 1.2}, torch::kFloat64));
  const auto at = [](const torch::Tensor& values, int place) {
    return values[place].item<double>();
  };
  EXPECT_NEAR(at(scales.skip, 0), 0.5, 1e-12);
  EXPECT_NEAR(at(scales.out, 0), 0.25 / std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(at(scales.in, 0), 1 / std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(at(scales.noise, 0), -0.17328679513998632, 1e-12);  // ln(1/2) / 4
  EXPECT_NEAR(at(scales.weight, 0), 8, 1e-12);                    // 0.5 / 0.0625
  EXPECT_NEAR(at(scales.skip, 1), 0.25 / 1.69, 1e-12);
  EXPECT_NEAR(at(scales.out, 1), 0.6 / 1.3, 1e-12);
  EXPECT_NEAR(at(scales.in, 1), 1 / 1.3, 1e-12);
  EXPECT_NEAR(at(scales.weight, 1), 1.69 / 0.36, 1e-12);
  // The paper's reason for weight and out: weight out^2 = 1, every level counts alike.
  EXPECT_NEAR(at(scales.weight * scales.out.square(), 1), 1, 1e-12);
}

TEST(Heun, LevelsRunFromTheHighestToZero) {
  // With rho = 1 they are equally far apart: 8, 5, 2, then 0.
  const std::vector<double> levels = heun_levels({.steps = 3, .lowest = 2, .highest = 8, .rho = 1});
  ASSERT_EQ(levels.size(), 4u);
  EXPECT_NEAR(levels[0], 8, 1e-12);
  EXPECT_NEAR(levels[1], 5, 1e-12);
  EXPECT_NEAR(levels[2], 2, 1e-12);
  EXPECT_EQ(levels[3], 0);
  const std::vector<double> usual = heun_levels({});
  EXPECT_NEAR(usual.front(), 80, 1e-9);
  EXPECT_NEAR(usual[17], 0.002, 1e-12);
}

/// Where the sampler ends if data are normal with mean 0.3 and deviation 0.5. The best denoiser is
/// then D(x; sigma) = (s^2 x + sigma^2 m) / (s^2 + sigma^2).
torch::Tensor gaussian_ends(const torch::Tensor& noise, std::int64_t steps) {
  const double m = 0.3, s = 0.5;
  return heun(
      [=](const torch::Tensor& x, double sigma) {
        return (s * s * x + sigma * sigma * m) / (s * s + sigma * sigma);
      },
      noise, {.steps = steps});
}

// tests/reference/heun/heun.py: the algorithm in plain Python.
TEST(Heun, AgreesWithAPlainImplementation) {
  const torch::Tensor ends = gaussian_ends(torch::tensor({-2.0, 0.0, 2.0}, torch::kFloat64), 18);
  EXPECT_NEAR(ends[0].item<double>(), -0.7572278663908479, 1e-9);
  EXPECT_NEAR(ends[1].item<double>(), 0.29802140761124624, 1e-9);
  EXPECT_NEAR(ends[2].item<double>(), 1.3532706816133404, 1e-9);
}

// The path that starts at x_0 ends at m + (x_0 - m) s / sqrt(s^2 + sigma_0^2). The method is of
// second order: half the step, a quarter of the error.
TEST(Heun, ConvergesToTheClosedFormOfNormalDataInSecondOrder) {
  const torch::Tensor noise = torch::linspace(-2, 2, 9, torch::kFloat64);
  const double factor = 0.5 / std::sqrt(0.25 + 80.0 * 80.0);
  const torch::Tensor exact = 0.3 + (noise * 80 - 0.3) * factor;
  const auto error = [&](std::int64_t steps) {
    return largest_difference(gaussian_ends(noise, steps), exact);
  };
  EXPECT_GT(error(18), error(72));
  EXPECT_NEAR(error(72) / error(144), 4, 0.5);
  EXPECT_LT(error(576), 1e-4);
}

TEST(Unet, GivesImagesAndTheEncodersOutput) {
  const NetworkPointer pair = shaken_unet({1, 2});
  Denoiser& denoiser = *as_denoiser(*pair);
  const torch::Tensor rows = inputs(2, 3, kGrey);
  Taps taps{.wanted = {"encoder"}, .values = {}};
  const torch::Tensor answer = denoiser.denoise(rows, torch::full({2, 3}, 0.7), &taps);
  EXPECT_EQ(answer.sizes(), rows.sizes());
  // Width 8 times 2 at half the side.
  EXPECT_EQ(taps.values.at("encoder").sizes(), (std::vector<std::int64_t>{2, 3, 16, 4, 4}));
  EXPECT_EQ(pair->forward(rows).sizes(), (std::vector<std::int64_t>{2, 3, 64}));
  EXPECT_EQ(as_denoiser(*network("mlp", {1})), nullptr);
}

// F is 0 at the start, so that D is what the preconditioning makes of the input alone.
TEST(Unet, BeginsAsItsSkipConnection) {
  const NetworkPointer single = network("unet", {3}, kGrey, kSmallUnet);
  const torch::Tensor rows = inputs(1, 2, kGrey);
  const torch::Tensor answer = as_denoiser(*single)->denoise(rows, torch::full({1, 2}, 1.2));
  EXPECT_LT(largest_difference(answer, rows * (0.25 / 1.69)), 1e-6);
}

TEST(Unet, CopiesAnswerAsSingleNetworksDo) {
  const NetworkPointer all = shaken_unet({11, 12, 13});
  const torch::Tensor rows = inputs(3, 2, kGrey);
  const torch::Tensor sigma =
      torch::tensor({{0.1, 2.0}, {0.3, 1.0}, {0.5, 5.0}}).to(torch::kFloat32);
  const torch::Tensor answers = as_denoiser(*all)->denoise(rows, sigma);
  for (std::int64_t copy = 0; copy < 3; ++copy) {
    const NetworkPointer single = shaken_unet({static_cast<std::uint64_t>(11 + copy)});
    const torch::Tensor alone =
        as_denoiser(*single)->denoise(rows.narrow(0, copy, 1), sigma.narrow(0, copy, 1));
    EXPECT_LT(largest_difference(answers[copy], alone[0]), 1e-5) << copy;
  }
  EXPECT_GT(largest_difference(answers[0], answers[1]), 1e-3);
}

TEST(Unet, EveryParameterHasAGradient) {
  const NetworkPointer single = shaken_unet({5});
  as_denoiser(*single)
      ->denoise(inputs(1, 2, kGrey), torch::full({1, 2}, 0.7))
      .square()
      .sum()
      .backward();
  for (const auto& parameter : single->named_parameters()) {
    ASSERT_TRUE(parameter.value().grad().defined()) << parameter.key();
    EXPECT_GT(parameter.value().grad().abs().max().item<double>(), 0) << parameter.key();
  }
}

TEST(Unet, RowsDoNotSeeEachOther) {
  const NetworkPointer single = shaken_unet({6});
  const torch::Tensor rows = inputs(1, 3, kGrey);
  const torch::Tensor together = as_denoiser(*single)->denoise(rows, torch::full({1, 3}, 0.7));
  const torch::Tensor alone =
      as_denoiser(*single)->denoise(rows.narrow(1, 2, 1), torch::full({1, 1}, 0.7));
  EXPECT_LT(largest_difference(together[0][2], alone[0][0]), 1e-5);
}

// 32 x 32 pixels, width 128, multipliers 2, 2, 2: 256 channels of 8 x 8 are the 16,384 columns that
// the SDE paper's appendix E names.
TEST(Unet, HasThePapersEncoder) {
  Options options(Json{{"name", "unet"}, {"width", 128}, {"multipliers", {2, 2, 2}}, {"depth", 1}},
                  "test");
  const NetworkPointer single = make(options, testing::kTinyImages);
  initialise(*single, 0, 1);
  const torch::NoGradGuard no_gradient;
  Taps taps{.wanted = {"encoder"}, .values = {}};
  single->forward(inputs(1, 1), &taps);
  EXPECT_EQ(taps.values.at("encoder").numel(), 16384);
}

TEST(Unet, ResizesBeforeItAddsNoise) {
  const NetworkPointer single =
      network("unet", {1}, kGrey, {{"width", 8}, {"multipliers", {1, 2}}, {"resize", 4}});
  const torch::Tensor clean = as_denoiser(*single)->clean(torch::full({1, 2, 1, 8, 8}, 3.0F));
  EXPECT_EQ(clean.sizes(), (std::vector<std::int64_t>{1, 2, 1, 4, 4}));
  EXPECT_LT(largest_difference(clean, torch::full({1, 2, 1, 4, 4}, 1.5F)), 1e-6);
}

TEST(Unet, SamplesAreTheSameBytesTwiceAndBeginWithTheirOwnNoise) {
  const NetworkPointer single = shaken_unet({7});
  at::set_num_threads(1);
  const torch::Tensor three = sampled(*as_denoiser(*single), 3, 4, {.steps = 3});
  EXPECT_EQ(three.sizes(), (std::vector<std::int64_t>{3, 1, 8, 8}));
  EXPECT_TRUE(torch::equal(three, sampled(*as_denoiser(*single), 3, 4, {.steps = 3})));
  EXPECT_FALSE(torch::equal(three, sampled(*as_denoiser(*single), 3, 5, {.steps = 3})));
  EXPECT_FALSE(torch::equal(three[0], three[1]));
}

TEST(Unet, SaysWhatItCannotTake) {
  const auto refused = [](const Json& options, const Shape& shape) {
    return vestige::testing::error_of([&] { network("unet", {1}, shape, options); });
  };
  using vestige::testing::holds;
  EXPECT_TRUE(holds(refused({}, {.input = {600}, .classes = 2}), {"unet", "1 dimension"}));
  EXPECT_TRUE(holds(refused({{"multipliers", {1, 1, 1, 1}}}, {.input = {1, 28, 28}, .classes = 2}),
                    {"4 levels", "28 x 28", "resize"}));
  EXPECT_TRUE(holds(refused({{"attention", {9}}}, kGrey), {"side of 9", "8, 4, 2"}));
  EXPECT_TRUE(holds(refused({{"width", 6}}, kGrey), {"width", "multiple of 4"}));
  EXPECT_TRUE(holds(refused({{"multipliers", Json::array()}}, kGrey), {"multipliers"}));
  EXPECT_TRUE(holds(refused({{"widht", 8}}, kGrey), {"'widht'", "'width'"}));
}

}  // namespace
}  // namespace vestige::models
