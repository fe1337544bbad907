// EMIA by hand; the public reference values are conformance cases (tests/audit).
#include "vestige/metrics/scores/emia.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vestige/base/error.h"
#include "vestige/metrics/result.h"

namespace vestige::metrics {
namespace {

TEST(Emia, LossDoesNotOverflow) {
  EXPECT_NEAR(logistic_loss(0), std::log(2.0), 1e-16);
  EXPECT_EQ(logistic_loss(-1500), 1500);
  EXPECT_EQ(logistic_loss(1500), 0);
}

TEST(Emia, PopulationRankIsStrict) {
  const std::vector<double> losses = {0, 1, 2, 9}, population = {1, 2, 2, 3};
  EXPECT_EQ(emia_p(losses, population), (std::vector<double>{1, 1, 0.75, 0}));
  EXPECT_TRUE(std::isnan(emia_p(losses, {})[0]));
}

TEST(Emia, ShadowRankIsInterpolated) {
  // Points 0, 2, 6, 1000 stand for 0, 1/3, 2/3, 1; a loss of 4 is half way between 1/3 and 2/3.
  Matrix shadows(2, 4);
  for (std::size_t row = 0; row < 4; ++row) {
    shadows(0, row) = 6;
    shadows(1, row) = 2;
  }
  const auto scores = emia_r(std::vector<double>{4, 0, 2000, kUndefined}, shadows);
  EXPECT_NEAR(scores[0], 0.5, 1e-15);
  EXPECT_EQ(scores[1], 1);
  EXPECT_EQ(scores[2], 0);
  EXPECT_TRUE(std::isnan(scores[3]));
  EXPECT_THROW(emia_r(std::vector<double>{1}, shadows), InputError);
}

}  // namespace
}  // namespace vestige::metrics
