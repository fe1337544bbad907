// Rectified pools against relu and max_pool2d one after the other, which are what they stand for.
#include "vestige/models/pooling.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/models/support.h"
#include "vestige/models/layers.h"

namespace vestige::models {
namespace {

struct Pass {
  torch::Tensor values, gradient;
};

/// What `pool` makes of `start`, and the gradient of a weighted sum of that.
template <typename Pool>
Pass through(const torch::Tensor& start, const Pool& pool) {
  const torch::Tensor channels = start.clone().requires_grad_();
  const torch::Tensor values = pool(channels);
  const torch::Tensor weights = torch::arange(1, values.numel() + 1, torch::kFloat32);
  (values.flatten() * weights.to(values.device())).sum().backward();
  return {values.detach(), channels.grad()};
}

/// Halves from -1.5 to 1.5, so that equal maxima and windows without a positive value are frequent;
/// the last row and column of 7 x 5 pixels belong to no window.
torch::Tensor coarse_values() {
  const torch::Tensor fine = testing::inputs(1, 6, {.input = {4, 7, 5}, .classes = 2}).squeeze(0);
  return torch::round(fine * 3) / 2;
}

void expect_the_same(torch::Device device) {
  const torch::Tensor start = coarse_values().to(device);
  const Pass plain = through(
      start, [](const torch::Tensor& value) { return torch::max_pool2d(torch::relu(value), 2); });
  ASSERT_GT(plain.values.eq(0).sum().item<std::int64_t>(), 0);
  for (const bool tapped : {false, true}) {
    Taps taps;
    if (tapped) taps.wanted = {"here"};
    const Pass ours = through(
        start, [&](const torch::Tensor& value) { return rectified_pool(&taps, "here", value, 2); });
    EXPECT_TRUE(torch::equal(ours.values, plain.values)) << tapped;
    EXPECT_TRUE(torch::equal(ours.gradient, plain.gradient)) << tapped;
    EXPECT_EQ(taps.values.count("here"), tapped ? 1U : 0U);
  }
}

TEST(RectifiedPool, GivesTheValuesAndGradientsOfItsParts) { expect_the_same(torch::kCPU); }

TEST(RectifiedPool, DoesSoOnCuda) {
  if (!torch::cuda::is_available()) GTEST_SKIP() << "there is no CUDA device";
  expect_the_same(torch::kCUDA);
}

// Without gradients by a loop of its own: not a number, signed zeros and infinities as LibTorch has
// them, for any strides.
TEST(MaxPool, GivesLibTorchsBytesWithoutGradients) {
  torch::Tensor start = coarse_values();
  start[0][1][2][3] = std::numeric_limits<float>::quiet_NaN();
  start[1][0].fill_(-std::numeric_limits<float>::infinity());
  start[2][3].fill_(0);
  start[2][3][0][0] = -0.0F;
  for (const torch::Tensor& channels : {start, start.transpose(2, 3), start.to(torch::kFloat64)}) {
    const torch::Tensor expected = torch::max_pool2d(channels, 2);
    const torch::Tensor found = max_pool(channels);
    EXPECT_TRUE(torch::allclose(found, expected, 0, 0, true));
    EXPECT_TRUE(torch::equal(torch::signbit(found), torch::signbit(expected)));
    const torch::NoGradGuard guard;
    EXPECT_TRUE(torch::allclose(max_pool(channels.clone().requires_grad_()), expected, 0, 0, true));
  }
}

TEST(MaxPool, RefusesPicturesWithoutAWindow) {
  for (const bool taken : {false, true}) {
    EXPECT_THROW(max_pool(torch::zeros({1, 2, 1, 4}).requires_grad_(taken)), c10::Error);
    EXPECT_THROW(max_pool(torch::zeros({1, 2, 4, 1}).requires_grad_(taken)), c10::Error);
  }
}

// As L-CODEC takes products with the Jacobian: through the gradient, by what it is weighed with.
TEST(MaxPool, GradientsHaveGradients) {
  const auto twice = [](const auto& pool) {
    const torch::Tensor start = coarse_values().requires_grad_();
    const torch::Tensor values = pool(start);
    const torch::Tensor weights = torch::ones_like(values).requires_grad_();
    const torch::Tensor gradient =
        torch::autograd::grad({values}, {start}, {weights}, true, true).front();
    const torch::Tensor along = torch::arange(gradient.numel(), torch::kFloat32);
    return torch::autograd::grad({(gradient.flatten() * along).sum()}, {weights}).front();
  };
  EXPECT_TRUE(
      torch::equal(twice([](const torch::Tensor& value) { return max_pool(value); }),
                   twice([](const torch::Tensor& value) { return torch::max_pool2d(value, 2); })));
}

TEST(RectifiedPool, KeepsWhatIsTapped) {
  Taps taps;
  taps.wanted = {"here"};
  const torch::Tensor start = coarse_values();
  rectified_pool(&taps, "here", start, 2);
  EXPECT_TRUE(torch::equal(taps.values["here"], to_images(torch::relu(start), 2)));
}

}  // namespace
}  // namespace vestige::models
