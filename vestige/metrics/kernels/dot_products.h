// Dot products of rows with rows, packed and blocked for the cache: what all kernel matrices are
// made of. The vector paths and the portable path give the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"

namespace vestige::metrics {

/// The widest vector instructions that may be used; the machine's own limit always holds. Only
/// tests ask for less than all.
enum class Vectors { none, avx2, avx512 };

/// How products are added to a sum: rounded before they are, or with it in one rounding, which
/// takes half of the time. Numbers that are shown to the last digits, or rounded to floats, keep
/// the former; the latter is for those that are only compared with each other.
enum class Products { rounded, fused };

/// Rows interleaved eight at a time, so that one vector load brings the same column of eight rows;
/// padded with rows of zeros to a multiple of eight.
class PackedRows {
 public:
  static constexpr std::size_t kPanel = 8;    ///< rows per panel
  static constexpr std::size_t kDepth = 256;  ///< columns that are summed before the sum is stored

  /// `rows` picks rows of `values` (empty: all of them); `offset` (one value per column, may be
  /// empty) is subtracted first: distances do not change, but lose less to cancellation.
  PackedRows(MatrixView values, std::span<const std::uint32_t> rows, std::span<const double> offset,
             Products products = Products::rounded);

  /// The columns of `values` [n, d] as rows of n items, item i times factors[i].
  static PackedRows of_columns(MatrixView values, std::span<const double> factors);

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  Products products() const { return products_; }
  std::size_t panels() const { return (rows_ + kPanel - 1) / kPanel; }
  /// Squared length of each row, summed in the order of dot_tile: a row's distance to its own copy
  /// is exactly 0.
  std::span<const double> squared_norms() const { return squared_norms_; }
  const double* panel(std::size_t index) const { return packed_.data() + index * kPanel * cols_; }

 private:
  PackedRows(std::size_t rows, std::size_t cols, Products products);

  std::size_t rows_;
  std::size_t cols_;
  Products products_;
  std::vector<double> packed_;
  std::vector<double> squared_norms_;
};

/// Means of the columns over the picked rows (empty: all of them), for `offset` above.
std::vector<double> column_means(MatrixView values, std::span<const std::uint32_t> rows = {});

/// out[i * stride + j] = a_i . b_j for the rows of panels [a_first, a_last) and [b_first, b_last).
/// Both sides have the same number of columns and the same way to add products.
void dot_tile(const PackedRows& a, std::size_t a_first, std::size_t a_last, const PackedRows& b,
              std::size_t b_first, std::size_t b_last, double* out, std::size_t stride,
              Vectors vectors = Vectors::avx512);

}  // namespace vestige::metrics
