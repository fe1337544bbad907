// Which rows the plots of epsilon show, by hand.
#include "vestige/metrics/epsilon/epsilon_series.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vestige::metrics {
namespace {

Matrix matrix_of(std::size_t rows, std::size_t cols, const std::vector<double>& values) {
  Matrix matrix(rows, cols);
  for (std::size_t i = 0; i < values.size(); ++i) matrix(i / cols, i % cols) = values[i];
  return matrix;
}

TEST(ShareAbove, CountsRowsByTheirMeans) {
  // Means of candidate (2, 5, 3), of retrained (1, 6, 3): above, below, equal.
  const Matrix candidate = matrix_of(2, 3, {1, 4, 3, 3, 6, 3});
  const Matrix retrained = matrix_of(1, 3, {1, 6, 3});
  EXPECT_DOUBLE_EQ(share_above(candidate, retrained), 0.5);
  EXPECT_DOUBLE_EQ(share_above(retrained, retrained), 0.5);
  EXPECT_TRUE(std::isnan(share_above(Matrix(1, 0), Matrix(1, 0))));
}

TEST(ChooseRows, LargestMedianSmallest) {
  const double nan = std::nan("");
  const std::vector<double> values = {2, nan, 7, 1, 7, 3};  // sorted: 7 (row 2), 7, 3, 2, 1
  const auto chosen = choose_rows(values);
  ASSERT_EQ(chosen.size(), 3U);
  EXPECT_EQ(chosen[0].row, 2U);
  EXPECT_EQ(chosen[0].place, "largest");
  EXPECT_EQ(chosen[1].row, 5U);
  EXPECT_EQ(chosen[2].row, 3U);
  EXPECT_EQ(choose_rows(std::vector<double>{1}).size(), 1U);
  EXPECT_EQ(choose_rows(std::vector<double>{1, 2}).size(), 2U);
  EXPECT_TRUE(choose_rows(std::vector<double>{nan}).empty());
}

TEST(StandardisedDistance, ByHand) {
  // Row 0: means 3 and 0, variances 1 and 1: 3. Row 1: no spread.
  const auto distance =
      standardised_distance(matrix_of(2, 2, {2, 1, 4, 1}), matrix_of(2, 2, {-1, 1, 1, 1}));
  EXPECT_DOUBLE_EQ(distance[0], 3);
  EXPECT_TRUE(std::isnan(distance[1]));
}

}  // namespace
}  // namespace vestige::metrics
