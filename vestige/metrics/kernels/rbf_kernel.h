// Kernel matrices: Gaussian (RBF) exp(-d^2 / 2 sigma^2), Laplace and linear, and the two rules for
// sigma.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "vestige/base/matrix.h"
#include "vestige/metrics/kernels/dot_products.h"

namespace vestige::metrics {

/// Kernel of every row with every row, [n, n], symmetric, 1 on the diagonal; `sigma` must be above
/// 0. `rows` picks rows of `values` (empty: all of them). Every kernel here takes many exponentials
/// at once, within 4e-16 of std::exp.
Matrix rbf_kernel(MatrixView values, double sigma, std::span<const std::uint32_t> rows = {});

/// What a kernel makes of two rows x and y at the Euclidean distance d.
enum class KernelShape {
  rbf,      ///< exp(-d^2 / 2 sigma^2)
  laplace,  ///< exp(-d / sigma)
  linear,   ///< (x - c).(y - c), c the mean of the picked rows; has no sigma. c is gone once the
            ///< matrix is centred
};

/// The kernel of every picked row with every other into `out`, row-major, n x n.
void kernel_into(MatrixView values, KernelShape shape, double sigma,
                 std::span<const std::uint32_t> rows, std::span<double> out);
/// The RBF kernel.
void rbf_kernel_into(MatrixView values, double sigma, std::span<const std::uint32_t> rows,
                     std::span<double> out);

/// The lower triangle of the kernel of the picked rows (empty: all of them), row by row: entry
/// (i, j), j <= i, is at i * (i + 1) / 2 + j. The same bytes as kernel_into in half of the
/// room.
void kernel_lower_into(MatrixView values, KernelShape shape, double sigma,
                       std::span<const std::uint32_t> rows, std::span<double> out);

/// Kernel values of rows [first, last) of `a` with rows [0, others) of `b`, into out (row-major,
/// (last - first) x others). `first` is a multiple of PackedRows::kPanel.
void rbf_rows(const PackedRows& a, std::size_t first, std::size_t last, const PackedRows& b,
              std::size_t others, double sigma, std::span<double> out);

/// Median Euclidean distance over all pairs i < j of rows; NaN for fewer than two rows. 0 when at
/// least half of the pairs coincide.
double median_distance(MatrixView values);

/// Square root of the dimension: the SDE paper's bandwidth (Section 4.1.1).
double sqrt_dim(std::size_t columns);

}  // namespace vestige::metrics
