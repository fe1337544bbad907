// Means over rows and models, by hand.
#include "vestige/metrics/stats/mean_contrast.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vestige::metrics {
namespace {

// By hand: row means of the two models are {1, 0.5, 0.5, 1}; each model is {0, -+0.5, +-0.5, 0} off
// them, of variance 1/6, so that interaction = 2 / 6 / 4 = 1/12. Against one model {0, 0, 0, 1}
// rows differ by {1, 0.5, 0.5, 0}: mean 0.5, variance 1/6, error sqrt(1/24) with 3 degrees of
// freedom; the two models' means are alike and bring no error of their own.
TEST(MeanContrast, RowsAndModels) {
  const std::vector<std::vector<double>> two = {{1, 0, 1, 1}, {1, 1, 0, 1}};
  const Contrast left = mean_contrast(2, 4, [&](std::size_t model) { return two[model]; });
  EXPECT_EQ(left.target, (std::vector<double>{1, 0.5, 0.5, 1}));
  EXPECT_EQ(left.by_model, (std::vector<double>{0.75, 0.75}));
  EXPECT_NEAR(left.interaction, 1.0 / 12, 1e-15);
  const Contrast right = mean_contrast(1, 4, [](std::size_t) {
    return std::vector<double>{0, 0, 0, 1};
  });
  const Gap difference = gap_difference(left, right);
  EXPECT_NEAR(difference.estimate, 0.5, 1e-15);
  EXPECT_NEAR(difference.error, std::sqrt(1.0 / 24), 1e-15);
  EXPECT_NEAR(difference.degrees, 3, 1e-12);
}

}  // namespace
}  // namespace vestige::metrics
