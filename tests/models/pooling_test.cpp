// Rectified pools against relu and max_pool2d one after the other, which are what they stand for.
#include "vestige/models/pooling.h"

#include <gtest/gtest.h>

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

TEST(RectifiedPool, KeepsWhatIsTapped) {
  Taps taps;
  taps.wanted = {"here"};
  const torch::Tensor start = coarse_values();
  rectified_pool(&taps, "here", start, 2);
  EXPECT_TRUE(torch::equal(taps.values["here"], to_images(torch::relu(start), 2)));
}

}  // namespace
}  // namespace vestige::models
