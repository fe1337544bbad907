// Nystroem features against the exact kernel: equal where they must be, below it by at most what
// they say elsewhere.
#include "vestige/metrics/kernels/nystrom.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support.h"
#include "vestige/metrics/kernels/centred_matrix.h"
#include "vestige/metrics/sde/sde.h"

namespace vestige::metrics {
namespace {

Matrix drawn_rows(std::size_t rows, std::size_t cols, std::uint64_t index) {
  Stream stream(7, "test.nystrom", index);
  Matrix matrix(rows, cols);
  for (double& value : matrix.values()) value = stream.normal();
  return matrix;
}

std::vector<std::uint32_t> every_row(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

std::vector<std::size_t> leading_rows(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

Permutations orders(std::size_t size) {
  Stream stream(8, "test.nystrom.shuffles");
  return random_permutations(size, 30, stream);
}

Matrix exact_kernel(const Matrix& values, KernelShape shape, double sigma) {
  Matrix kernel(values.rows(), values.rows());
  kernel_into(values, shape, sigma, every_row(values.rows()), kernel.values());
  return kernel;
}

NystromSample seen_through(const Matrix& values, KernelShape shape, double sigma,
                           std::size_t landmarks) {
  return nystrom_sample(values, shape, sigma, every_row(values.rows()), leading_rows(landmarks));
}

TEST(Nystrom, AllRowsAsLandmarksAreTheExactKernel) {
  const Matrix x = drawn_rows(40, 6, 0), y = drawn_rows(40, 6, 1);
  for (const KernelShape shape : {KernelShape::rbf, KernelShape::laplace}) {
    const Matrix k = exact_kernel(x, shape, 2), l = exact_kernel(y, shape, 2);
    const NystromSample first = seen_through(x, shape, 2, 40),
                        second = seen_through(y, shape, 2, 40);
    const std::vector<double> exact = hsic_shuffled(k, l, orders(40));
    const std::vector<double> found = hsic_shuffled(first, second, orders(40));
    for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(found[i], exact[i], 1e-12);
    EXPECT_NEAR(nystrom_gap(first, second), 0, 1e-11);
    const KernelSums sums = kernel_sums(k, centring(k));
    EXPECT_NEAR(first.sums.trace, sums.trace, 1e-9);
    EXPECT_NEAR(first.sums.squares, sums.squares, 1e-9);
    EXPECT_NEAR(first.sums.diagonal, sums.diagonal, 1e-9);
    EXPECT_NEAR(first.sums.off_diagonal, sums.off_diagonal, 1e-11);
  }
}

// K - ZZ' is a Schur complement: positive semi-definite, and smaller the more landmarks there are.
TEST(Nystrom, NeverAboveTheExactValueAndWithinTheGap) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Matrix x = drawn_rows(60, 3, 10 + seed), y = drawn_rows(60, 3, 20 + seed);
    for (const KernelShape shape : {KernelShape::rbf, KernelShape::laplace}) {
      const double sigma = seed % 2 == 0 ? 0.7 : 3;
      const std::vector<double> exact =
          hsic_shuffled(exact_kernel(x, shape, sigma), exact_kernel(y, shape, sigma), orders(60));
      double left_out = 60;
      for (const std::size_t landmarks : {2U, 5U, 15U, 40U}) {
        const NystromSample first = seen_through(x, shape, sigma, landmarks);
        const NystromSample second = seen_through(y, shape, sigma, landmarks);
        const std::vector<double> found = hsic_shuffled(first, second, orders(60));
        const double bound = nystrom_gap(first, second);
        double widest = 0;
        for (std::size_t i = 0; i < exact.size(); ++i) {
          widest = std::max(widest, exact[i] - found[i]);
          EXPECT_GE(exact[i] - found[i], -1e-13);
          EXPECT_LE(exact[i] - found[i], bound + 1e-13);
        }
        EXPECT_GT(widest, 0) << "fewer landmarks than rows leave something out";
        EXPECT_LT(first.left_out, left_out);
        left_out = first.left_out;
      }
    }
  }
}

TEST(Nystrom, FewPointsManyTimesNeedOneLandmarkEach) {
  const Matrix points = drawn_rows(4, 5, 30);
  Matrix x(48, 5), y(48, 5);
  for (std::size_t row = 0; row < 48; ++row) {
    std::ranges::copy(points.row(row % 4), x.row(row).begin());
    std::ranges::copy(points.row((row / 12) % 4), y.row(row).begin());
  }
  const std::vector<std::size_t> one_each = {0, 12, 24, 36};
  const NystromSample first = seen_through(x, KernelShape::rbf, 1, 4);
  const NystromSample second = nystrom_sample(y, KernelShape::rbf, 1, every_row(48), one_each);
  EXPECT_NEAR(nystrom_gap(first, second), 0, 1e-12);
  const std::vector<double> exact = hsic_shuffled(exact_kernel(x, KernelShape::rbf, 1),
                                                  exact_kernel(y, KernelShape::rbf, 1), orders(48));
  const std::vector<double> found = hsic_shuffled(first, second, orders(48));
  for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(found[i], exact[i], 1e-12);
}

TEST(Nystrom, ConstantRowsHaveNoDependence) {
  const Matrix constant(20, 3);
  const NystromSample one = seen_through(constant, KernelShape::rbf, 1, 5);
  EXPECT_EQ(one.features.cols(), 1U);
  for (const double value : hsic_shuffled(one, one, orders(20))) EXPECT_NEAR(value, 0, 1e-25);
}

TEST(Nystrom, SetsThroughLandmarksLieWithinTheirGap) {
  const Matrix rows = drawn_rows(200, 8, 40);
  std::vector<HalvedSet> sets;
  for (std::size_t index = 0; index < 5; ++index) {
    Stream stream(9, "test.nystrom.sets", index);
    sets.push_back(draw_set(every_row(200), 160, stream));
  }
  const auto exact = split_half_dependence(rows, sets, {.shuffles = 25});
  const auto same = split_half_dependence(rows, sets, {.shuffles = 25, .landmarks = 80});
  const auto seen = split_half_dependence(rows, sets, {.shuffles = 25, .landmarks = 30});
  for (std::size_t set = 0; set < sets.size(); ++set) {
    EXPECT_EQ(same[set].values, exact[set].values) << "as many landmarks as rows: nothing is saved";
    EXPECT_EQ(exact[set].gap, 0);
    EXPECT_GT(seen[set].gap, 0);
    for (std::size_t i = 0; i < 25; ++i) {
      EXPECT_LE(seen[set].values[i], exact[set].values[i] + 1e-12);
      EXPECT_LE(exact[set].values[i], seen[set].values[i] + seen[set].gap + 1e-12);
    }
    EXPECT_LE(seen[set].moments.mean, exact[set].moments.mean);
    EXPECT_LE(exact[set].moments.mean, seen[set].moments.mean + seen[set].gap);
  }
}

TEST(Nystrom, Mistakes) {
  const Matrix rows = drawn_rows(5, 2, 50);
  EXPECT_TRUE(testing::holds(
      testing::error_of([&] { (void)seen_through(rows, KernelShape::linear, 1, 2); }), {"linear"}));
  EXPECT_TRUE(testing::holds(
      testing::error_of([&] { (void)nystrom_sample(rows, KernelShape::rbf, 1, every_row(5), {}); }),
      {"0 landmarks of 5 rows"}));
}

}  // namespace
}  // namespace vestige::metrics
