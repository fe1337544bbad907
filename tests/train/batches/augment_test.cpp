// Augmentation: exact where it can be, reproducible, and independent of companions.
#include "vestige/train/batches/augment.h"

#include <gtest/gtest.h>

#include "tests/support.h"

namespace vestige::train {
namespace {

Batch images(std::int64_t copies) {
  return {torch::arange(copies * 6 * 16, torch::kFloat32).view({copies, 6, 1, 4, 4}),
          torch::zeros({copies, 6}, torch::kInt64),
          {}};
}

// Every image is one of the two possible ones, and both occur among 6 x 8 draws.
TEST(Augment, FlipIsExact) {
  AugmentSettings settings;
  settings.flip = true;
  int flipped = 0, kept = 0;
  for (std::uint64_t step = 0; step < 8; ++step) {
    Batch batch = images(1);
    const torch::Tensor before = batch.inputs.clone();
    augment(batch, settings, {1}, step);
    for (std::int64_t index = 0; index < 6; ++index) {
      const torch::Tensor now = batch.inputs[0][index], then = before[0][index];
      if (torch::allclose(now, then, 1e-5, 1e-4)) ++kept;
      if (torch::allclose(now, then.flip({2}), 1e-5, 1e-4)) ++flipped;
    }
  }
  EXPECT_EQ(flipped + kept, 48);
  EXPECT_GT(flipped, 10);
  EXPECT_GT(kept, 10);
}

// A crop after padding by 1 is a shift by -1, 0 or 1 in each direction with zeros coming in.
TEST(Augment, CropIsAShift) {
  AugmentSettings settings;
  settings.crop = 1;
  Batch batch = images(1);
  const torch::Tensor before = batch.inputs.clone();
  augment(batch, settings, {1}, 0);
  for (std::int64_t index = 0; index < 6; ++index) {
    const torch::Tensor padded = torch::constant_pad_nd(before[0][index], {1, 1, 1, 1}, 0);
    bool found = false;
    for (std::int64_t down = 0; down < 3; ++down) {
      for (std::int64_t right = 0; right < 3; ++right) {
        const torch::Tensor shifted = padded.narrow(1, down, 4).narrow(2, right, 4);
        found = found || torch::allclose(batch.inputs[0][index], shifted, 1e-5, 1e-3);
      }
    }
    EXPECT_TRUE(found) << index;
  }
}

TEST(Augment, DependsOnSeedAndStepOnly) {
  AugmentSettings settings;
  settings.rotation = 15;
  settings.shear = 10;
  settings.scale_low = 0.8;
  settings.scale_high = 1.2;
  settings.jitter = 0.2;
  Batch alone = images(1), pair = images(2), later = images(1);
  pair.inputs = torch::cat({images(1).inputs, images(1).inputs});
  augment(alone, settings, {5}, 3);
  augment(pair, settings, {4, 5}, 3);
  augment(later, settings, {5}, 4);
  EXPECT_TRUE(torch::allclose(alone.inputs[0], pair.inputs[1]));
  EXPECT_FALSE(torch::allclose(alone.inputs[0], pair.inputs[0]));
  EXPECT_FALSE(torch::allclose(alone.inputs[0], later.inputs[0]));
}

TEST(Augment, TablesAreRefused) {
  Batch table{torch::zeros({1, 2, 5}), torch::zeros({1, 2}, torch::kInt64), {}};
  AugmentSettings settings;
  settings.flip = true;
  EXPECT_TRUE(
      testing::holds(testing::error_of([&] { augment(table, settings, {1}, 0); }), "need images"));
}

}  // namespace
}  // namespace vestige::train
