// Dot products, RBF kernels and median distances against direct evaluation.
#include "vestige/metrics/kernels/rbf_kernel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/base/error.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/stats/statistics.h"

namespace vestige::metrics {
namespace {

Matrix normal_rows(std::size_t rows, std::size_t cols, std::uint64_t index, double shift = 0) {
  Stream stream(11, "test.rbf", index);
  Matrix matrix(rows, cols);
  for (double& value : matrix.values()) value = shift + stream.normal();
  return matrix;
}

double squared_distance(const Matrix& matrix, std::size_t i, std::size_t j) {
  double sum = 0;
  for (std::size_t col = 0; col < matrix.cols(); ++col) {
    const double difference = matrix(i, col) - matrix(j, col);
    sum += difference * difference;
  }
  return sum;
}

// Three panels of b: two at once and one. What was in the tile before is of no matter.
TEST(DotTile, EveryVectorWidthGivesTheSameBytes) {
  for (const Products products : {Products::rounded, Products::fused}) {
    for (const std::size_t cols : {0U, 1U, 7U, 255U, 256U, 257U, 700U}) {
      const Matrix a = normal_rows(21, cols, 1);
      const Matrix b = normal_rows(19, cols, 2);
      const PackedRows left(a, {}, {}, products);
      const PackedRows right(b, {}, {}, products);
      std::vector<double> plain(24 * 24, 1), avx2(24 * 24, 2), avx512(24 * 24, 3);
      dot_tile(left, 0, 3, right, 0, 3, plain.data(), 24, Vectors::none);
      dot_tile(left, 0, 3, right, 0, 3, avx2.data(), 24, Vectors::avx2);
      dot_tile(left, 0, 3, right, 0, 3, avx512.data(), 24, Vectors::avx512);
      EXPECT_EQ(plain, avx2);
      EXPECT_EQ(plain, avx512);
      for (std::size_t i = 0; i < 21; ++i) {
        for (std::size_t j = 0; j < 19; ++j) {
          double direct = 0;
          for (std::size_t col = 0; col < cols; ++col) direct += a(i, col) * b(j, col);
          EXPECT_NEAR(plain[i * 24 + j], direct, 1e-12 * static_cast<double>(cols));
        }
      }
    }
  }
}

// Or d^2 = |a|^2 + |b|^2 - 2 a.b would not be 0 between copies.
TEST(PackedRows, SquaredNormsAreProductsWithThemselves) {
  const Matrix values = normal_rows(19, 300, 3);
  for (const Products products : {Products::rounded, Products::fused}) {
    const PackedRows packed(values, {}, {}, products);
    std::vector<double> all(24 * 24);
    dot_tile(packed, 0, 3, packed, 0, 3, all.data(), 24);
    for (std::size_t row = 0; row < 19; ++row) {
      EXPECT_EQ(packed.squared_norms()[row], all[row * 25]);
    }
  }
}

TEST(PackedRows, TakesColumnsTimesFactors) {
  // 300 rows are more than one block of 256; 11 columns more than one panel.
  const Matrix values = normal_rows(300, 11, 8);
  std::vector<double> factors(300);
  for (std::size_t row = 0; row < 300; ++row) factors[row] = 0.01 * static_cast<double>(row);
  const PackedRows columns = PackedRows::of_columns(values, factors);
  EXPECT_EQ(columns.rows(), 11U);
  EXPECT_EQ(columns.cols(), 300U);
  std::vector<double> products(16 * 16);
  dot_tile(columns, 0, 2, columns, 0, 2, products.data(), 16);
  for (std::size_t i = 0; i < 11; ++i) {
    for (std::size_t j = 0; j < 11; ++j) {
      double direct = 0;
      for (std::size_t row = 0; row < 300; ++row) {
        direct += factors[row] * factors[row] * values(row, i) * values(row, j);
      }
      EXPECT_NEAR(products[i * 16 + j], direct, 1e-11 * 300);
    }
    EXPECT_NEAR(columns.squared_norms()[i], products[i * 16 + i], 1e-11 * 300);
  }
}

TEST(RbfKernel, MatchesDirectEvaluation) {
  // 300 rows cross a tile border; the shift by 1000 would cost nine digits without centring.
  for (const double shift : {0.0, 1000.0}) {
    const Matrix values = normal_rows(300, 40, 3, shift);
    const Matrix kernel = rbf_kernel(values, 6);
    for (std::size_t i = 0; i < 300; ++i) {
      EXPECT_EQ(kernel(i, i), 1);
      for (std::size_t j = 0; j < 300; ++j) {
        EXPECT_NEAR(kernel(i, j), std::exp(-squared_distance(values, i, j) / 72), 1e-12);
        EXPECT_EQ(kernel(i, j), kernel(j, i));
      }
    }
  }
}

// exp(-d / sigma), and products of rows less their mean, entry by entry. The square root of a
// squared distance that cancels to 1e-12 has an error of 1e-6 at d = 0, but there is none so near.
TEST(LaplaceAndLinearKernels, MatchDirectEvaluation) {
  const Matrix values = normal_rows(300, 40, 3);
  const std::vector<std::uint32_t> rows{3, 17, 4, 299, 150};
  std::vector<double> mean(40);
  for (const std::uint32_t row : rows) {
    for (std::size_t col = 0; col < 40; ++col) mean[col] += values(row, col) / 5;
  }
  std::vector<double> laplace(25), linear(25), all(300 * 300), lower(300 * 301 / 2);
  kernel_into(values, KernelShape::laplace, 6, rows, laplace);
  kernel_into(values, KernelShape::linear, 0, rows, linear);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t j = 0; j < 5; ++j) {
      double product = 0;
      for (std::size_t col = 0; col < 40; ++col) {
        product += (values(rows[i], col) - mean[col]) * (values(rows[j], col) - mean[col]);
      }
      const double distance = std::sqrt(squared_distance(values, rows[i], rows[j]));
      EXPECT_NEAR(laplace[i * 5 + j], std::exp(-distance / 6), 1e-12);
      EXPECT_NEAR(linear[i * 5 + j], product, 1e-12);
    }
  }
  for (const KernelShape shape : {KernelShape::laplace, KernelShape::linear}) {
    kernel_into(values, shape, 6, {}, all);
    kernel_lower_into(values, shape, 6, {}, lower);
    for (std::size_t i = 0; i < 300; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        ASSERT_EQ(lower[i * (i + 1) / 2 + j], all[i * 300 + j]);
        ASSERT_EQ(all[j * 300 + i], all[i * 300 + j]);
      }
    }
  }
}

TEST(RbfKernel, PicksRows) {
  const Matrix values = normal_rows(20, 5, 4);
  const std::vector<std::uint32_t> rows{3, 17, 4};
  const Matrix kernel = rbf_kernel(values, 2, rows);
  ASSERT_EQ(kernel.rows(), 3U);
  EXPECT_NEAR(kernel(0, 1), std::exp(-squared_distance(values, 3, 17) / 8), 1e-14);
  EXPECT_NEAR(kernel(2, 1), std::exp(-squared_distance(values, 4, 17) / 8), 1e-14);
}

TEST(RbfKernel, EqualRowsHaveKernelOne) {
  Matrix values = normal_rows(10, 600, 5, 3);
  for (std::size_t col = 0; col < 600; ++col) values(7, col) = values(2, col);
  EXPECT_EQ(rbf_kernel(values, 1)(2, 7), 1);
}

TEST(RbfKernel, RowsOfTwoSamples) {
  const Matrix a = normal_rows(19, 6, 6);
  const Matrix b = normal_rows(150, 6, 7);
  std::vector<double> out(11 * 150);
  rbf_rows(PackedRows(a, {}, {}), 8, 19, PackedRows(b, {}, {}), b.rows(), 2, out);
  for (std::size_t i = 8; i < 19; ++i) {
    for (std::size_t j = 0; j < 150; ++j) {
      double squared = 0;
      for (std::size_t col = 0; col < 6; ++col) squared += std::pow(a(i, col) - b(j, col), 2);
      EXPECT_NEAR(out[(i - 8) * 150 + j], std::exp(-squared / 8), 1e-13);
    }
  }
}

TEST(RbfKernel, SameBytesForOneAndTwoThreads) {
  const Matrix values = normal_rows(400, 30, 8);
  const Matrix one = Context({.threads = 1}).run([&] { return rbf_kernel(values, 5); });
  const Matrix two = Context({.threads = 2}).run([&] { return rbf_kernel(values, 5); });
  for (std::size_t k = 0; k < one.values().size(); ++k) ASSERT_EQ(one.values()[k], two.values()[k]);
}

TEST(RbfKernel, RefusesSigmaZero) {
  EXPECT_THROW(rbf_kernel(normal_rows(3, 2, 9), 0), InputError);
  EXPECT_THROW(rbf_kernel(normal_rows(3, 2, 9), std::nan("")), InputError);
}

TEST(MedianDistance, MatchesSortedPairs) {
  for (const std::size_t rows : {2U, 3U, 4U, 150U}) {
    const Matrix values = normal_rows(rows, 3, rows);
    std::vector<double> distances;
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = i + 1; j < rows; ++j) {
        distances.push_back(std::sqrt(squared_distance(values, i, j)));
      }
    }
    EXPECT_NEAR(median_distance(values), median(distances), 1e-12);
  }
  EXPECT_TRUE(std::isnan(median_distance(normal_rows(1, 3, 1))));
  EXPECT_EQ(median_distance(Matrix(5, 3)), 0);
}

TEST(RbfKernel, LowerTriangleHasTheSameBytes) {
  // 300 rows make tiles that are not full.
  const Matrix values = normal_rows(300, 12, 10);
  const Matrix whole = rbf_kernel(values, 4);
  std::vector<double> lower(300 * 301 / 2);
  kernel_lower_into(values, KernelShape::rbf, 4, {}, lower);
  for (std::size_t i = 0; i < 300; ++i) {
    for (std::size_t j = 0; j <= i; ++j) ASSERT_EQ(lower[i * (i + 1) / 2 + j], whole(i, j));
  }
}

TEST(RbfKernel, RowsAgainstTheFirstOthersOnly) {
  const Matrix a = normal_rows(20, 6, 11), b = normal_rows(150, 6, 12);
  const PackedRows left(a, {}, {}), right(b, {}, {});
  std::vector<double> all(20 * 150), some(20 * 133);
  rbf_rows(left, 0, 20, right, 150, 2, all);
  rbf_rows(left, 0, 20, right, 133, 2, some);
  for (std::size_t i = 0; i < 20; ++i) {
    for (std::size_t j = 0; j < 133; ++j) EXPECT_EQ(some[i * 133 + j], all[i * 150 + j]);
  }
}

}  // namespace
}  // namespace vestige::metrics
