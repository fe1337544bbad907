// MMD by hand, and all sets at once against the plain twin.
#include "vestige/metrics/sde/mmd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"

namespace vestige::metrics {
namespace {

Matrix random_matrix(std::size_t rows, std::size_t cols, std::uint64_t index, double shift = 0) {
  Stream stream(31, "test.mmd", index);
  Matrix matrix(rows, cols);
  for (double& value : matrix.values()) value = shift + stream.normal();
  return matrix;
}

Matrix picked(MatrixView values, const RowSet& rows) {
  Matrix result(rows.size(), values.cols);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t col = 0; col < values.cols; ++col) {
      result(row, col) = values(rows[row], col);
    }
  }
  return result;
}

RowSet sample(std::size_t rows, std::size_t size, std::uint64_t index) {
  Stream stream(32, "test.mmd.set", index);
  RowSet set;
  for (const std::size_t row : stream.sample(rows, size)) {
    set.push_back(static_cast<std::uint32_t>(row));
  }
  return set;
}

TEST(Mmd, ByHand) {
  // x = {0, 1}, y = {0, 3} on a line, sigma 1: k(0,1) + k(0,3) - (k(0,0) + k(0,3) + k(1,0) +
  // k(1,3)) / 2 with k = exp(-d^2 / 2).
  Matrix x(2, 1), y(2, 1);
  x(1, 0) = 1;
  y(1, 0) = 3;
  const double k1 = std::exp(-0.5), k2 = std::exp(-2.0), k3 = std::exp(-4.5);
  EXPECT_NEAR(mmd_squared(x, y, 1), k1 + k3 - (1 + k3 + k1 + k2) / 2, 1e-15);
}

TEST(Mmd, AllSetsAtOnceMatchThePlainTwin) {
  const Matrix x = random_matrix(90, 5, 1);
  const Matrix y = random_matrix(150, 5, 2, 0.3);
  const std::vector<RowSet> x_sets{sample(90, 40, 1), sample(90, 40, 2), sample(90, 7, 3)};
  const std::vector<RowSet> y_sets{sample(150, 40, 4), sample(150, 33, 5)};
  const Matrix all = mmd_squared_between(x, x_sets, y, y_sets, 2.5);
  for (std::size_t i = 0; i < x_sets.size(); ++i) {
    for (std::size_t j = 0; j < y_sets.size(); ++j) {
      EXPECT_NEAR(all(i, j), mmd_squared(picked(x, x_sets[i]), picked(y, y_sets[j]), 2.5), 1e-13);
    }
  }
}

TEST(Mmd, UnbiasedUnderEqualDistributions) {
  // Mean over 200 pairs of samples of one distribution is 0 within four standard errors.
  std::vector<double> values;
  for (std::uint64_t round = 0; round < 200; ++round) {
    values.push_back(
        mmd_squared(random_matrix(12, 2, 100 + round), random_matrix(12, 2, 900 + round), 1.5));
  }
  double sum = 0, squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  EXPECT_LT(std::abs(sum / 200), 4 * std::sqrt(squares / 200 / 200));
  EXPECT_GT(mmd_squared(random_matrix(50, 2, 1), random_matrix(50, 2, 2, 2), 1.5), 0.2);
}

TEST(Mmd, SameBytesForOneAndTwoThreads) {
  const Matrix x = random_matrix(200, 9, 5);
  const std::vector<RowSet> sets{sample(200, 50, 1), sample(200, 50, 2)};
  const Matrix one =
      Context({.threads = 1}).run([&] { return mmd_squared_between(x, sets, x, sets, 3); });
  const Matrix two =
      Context({.threads = 2}).run([&] { return mmd_squared_between(x, sets, x, sets, 3); });
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(one.values()[k], two.values()[k]);
}

TEST(Mmd, Undefined) {
  EXPECT_TRUE(std::isnan(mmd_squared(random_matrix(1, 2, 1), random_matrix(5, 2, 2), 1)));
  EXPECT_THROW(mmd_squared(random_matrix(3, 2, 1), random_matrix(3, 3, 2), 1), InputError);
  EXPECT_THROW(mmd_squared(random_matrix(3, 2, 1), random_matrix(3, 2, 2), 0), InputError);
  const Matrix x = random_matrix(5, 2, 3);
  const std::vector<RowSet> one{{0}}, outside{{0, 5}}, fine{{0, 1}};
  EXPECT_THROW(mmd_squared_between(x, one, x, fine, 1), InputError);
  EXPECT_THROW(mmd_squared_between(x, fine, x, outside, 1), InputError);
}

// Groups of one sample share its kernel values.
TEST(Mmd, SeveralGroupsAtOnce) {
  const Matrix x = random_matrix(70, 4, 11), y = random_matrix(90, 4, 12, 0.3),
               z = random_matrix(65, 4, 13, -0.2);
  const std::vector<RowSet> x_sets{sample(70, 30, 1), sample(70, 20, 2)};
  const std::vector<RowSet> y_sets{sample(90, 30, 3)}, z_sets{sample(65, 30, 4), sample(65, 9, 5)};
  const std::vector<RowSet> others{sample(70, 30, 6), sample(70, 12, 7), sample(70, 2, 8)};
  const SampleSets groups[] = {{x, x_sets}, {y, y_sets}, {z, z_sets}, {x, others}};
  const GroupPair pairs[] = {{0, 1}, {0, 2}, {3, 2}, {0, 3}};
  const std::vector<Matrix> all = mmd_squared_of(groups, pairs, 2);
  ASSERT_EQ(all.size(), std::size(pairs));
  for (std::size_t pair = 0; pair < all.size(); ++pair) {
    const SampleSets &left = groups[pairs[pair].left], &right = groups[pairs[pair].right];
    for (std::size_t i = 0; i < left.sets.size(); ++i) {
      for (std::size_t j = 0; j < right.sets.size(); ++j) {
        EXPECT_NEAR(
            all[pair](i, j),
            mmd_squared(picked(left.values, left.sets[i]), picked(right.values, right.sets[j]), 2),
            1e-13);
      }
    }
  }
}

}  // namespace
}  // namespace vestige::metrics
