// Multiple-choice questions by hand.
#include "vestige/metrics/multiple_choice/multiple_choice.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vestige::metrics {

TEST(Choices, TheLargestIsChosenAndTiesAreShared) {
  // The first is right; of two equal ones one is right; all three are equal; another is larger.
  const double values[] = {-1, -2, -3, -2, -1, -1, -5, -5, -5, -4, -1, -9};
  const std::int64_t labels[] = {0, 1, 2, 0};
  const std::vector<double> right = chosen_right({values, 4, 3}, labels);
  EXPECT_EQ(right, (std::vector<double>{1, 0.5, 1.0 / 3, 0}));
  EXPECT_DOUBLE_EQ(chance_level({values, 4, 3}), 1.0 / 3);
  // By arg max: options 0, 1, 0 and 1.
  const MostChosen most = most_chosen({values, 4, 3});
  EXPECT_EQ(most.option, 0U);
  EXPECT_DOUBLE_EQ(most.share, 0.5);
}

TEST(Choices, ProbabilitiesAreAmongTheOptions) {
  // exp: 1/2, 1/4, 1/4 of the sum, whatever the sum is; and far below the smallest double.
  const double values[] = {std::log(0.5), std::log(0.25), std::log(0.25), -2000, -2000, -9000};
  const std::int64_t labels[] = {0, 1};
  const std::vector<double> p = right_probabilities({values, 2, 3}, labels);
  EXPECT_NEAR(p[0], 0.5, 1e-15);
  EXPECT_NEAR(p[1], 0.5, 1e-15);
  const double wrong[] = {-9000, -1};
  const std::int64_t first[] = {0};
  EXPECT_EQ(right_probabilities({wrong, 1, 2}, first)[0], 0);
}

TEST(Choices, AnOptionThatAQuestionDoesNotHaveIsNoChance) {
  const double values[] = {-1, -2, -HUGE_VAL, -HUGE_VAL, -3, -2, -2.5, -4};
  const std::int64_t labels[] = {1, 1};
  EXPECT_EQ(chosen_right({values, 2, 4}, labels), (std::vector<double>{0, 1}));
  EXPECT_DOUBLE_EQ(chance_level({values, 2, 4}), (0.5 + 0.25) / 2);
  // e^-2 / (e^-1 + e^-2) = 1 / (1 + e).
  EXPECT_NEAR(right_probabilities({values, 2, 4}, labels)[0], 1 / (1 + std::exp(1.0)), 1e-15);
}

}  // namespace vestige::metrics
