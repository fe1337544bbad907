// The test of independence: hand-made cases, and its null distribution over random orders.
#include "vestige/evidence/checks/dependence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vestige/base/seed.h"

namespace vestige::evidence {
namespace {

Matrix column_of(const std::vector<double>& values) {
  Matrix matrix(values.size(), 1);
  for (std::size_t row = 0; row < values.size(); ++row) matrix(row, 0) = values[row];
  return matrix;
}

// One column against itself: R = 1, T = n, mean 1, variance 2: (n - 1) / sqrt(2). Ranks make any
// rising function of it the same, a falling one R = -1.
TEST(Dependence, OfOneColumnByHand) {
  const RowFeatures values = row_features(column_of({1, 2, 3, 4, 5}));
  const RowFeatures cubes = row_features(column_of({1, 8, 27, 64, 1e9}));
  const RowFeatures falling = row_features(column_of({5, 4, 3, 2, 1}));
  EXPECT_NEAR(dependence(values, cubes), 4 / std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(dependence(values, falling), 4 / std::sqrt(2.0), 1e-12);
  // Ranks 1 2 3 4 5 against 2 1 4 3 5: Spearman's rho is 1 - 6 * 4 / (5 * 24) = 0.8, T = 5 * 0.64.
  const RowFeatures swapped = row_features(column_of({2, 1, 4, 3, 5}));
  EXPECT_NEAR(dependence(values, swapped), (3.2 - 1) / std::sqrt(2.0), 1e-12);
}

TEST(Dependence, OfWhatDoesNotVaryIsNothing) {
  const RowFeatures constant = row_features(column_of({3, 3, 3, 3}));
  EXPECT_EQ(constant.columns, 0);
  EXPECT_EQ(dependence(constant, row_features(column_of({1, 2, 3, 4}))), 0);
}

TEST(Dependence, WithinClassesSeesNothingOfTheClasses) {
  const std::vector<std::int64_t> labels = {0, 0, 0, 1, 1, 1};
  const RowFeatures classes = row_features(column_of({0, 0, 0, 1, 1, 1}));
  EXPECT_GT(dependence(classes, classes), 3);
  EXPECT_EQ(within_classes(classes, labels).columns, 0);
  const RowFeatures both = row_features(column_of({1, 2, 3, 11, 12, 13}));
  EXPECT_EQ(within_classes(both, labels).columns, 1);
}

// Under independence the mean is 0 and the variance 1, correlated columns or not.
TEST(Dependence, OfRandomOrdersIsStandard) {
  constexpr std::size_t kRows = 200, kColumns = 5, kTrials = 600;
  Stream stream(3, "dependence");
  Matrix left(kRows, kColumns), right(kRows, kColumns);
  for (std::size_t row = 0; row < kRows; ++row) {
    const double shared = stream.normal();
    for (std::size_t col = 0; col < kColumns; ++col) {
      left(row, col) = shared + stream.normal();
      right(row, col) = shared + stream.normal();
    }
  }
  const RowFeatures features = row_features(left);
  EXPECT_GT(dependence(features, row_features(right)), 20);
  double sum = 0, squares = 0, largest = 0;
  for (std::size_t trial = 0; trial < kTrials; ++trial) {
    const std::vector<std::size_t> order = stream.permutation(kRows);
    Matrix shuffled(kRows, kColumns);
    for (std::size_t row = 0; row < kRows; ++row) {
      for (std::size_t col = 0; col < kColumns; ++col) {
        shuffled(row, col) = right(order[row], col);
      }
    }
    const double value = dependence(features, row_features(shuffled));
    sum += value;
    squares += value * value;
    largest = std::max(largest, value);
  }
  EXPECT_NEAR(sum / kTrials, 0, 0.15);  // 3 standard errors
  EXPECT_NEAR(squares / kTrials, 1, 0.35);
  EXPECT_LT(largest, 10);
}

}  // namespace
}  // namespace vestige::evidence
