// Maximum mean discrepancy (Gretton et al. 2012), unbiased, with the RBF kernel: between two
// samples, and between many sets of rows of two samples at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"

namespace vestige::metrics {

/// Rows of a sample, without repetition.
using RowSet = std::vector<std::uint32_t>;

/// MMD^2 of x [m, d] and y [n, d]: mean kernel inside x and inside y, both without the diagonal,
/// minus twice the mean kernel between them. May be negative. NaN if a sample has fewer than two
/// rows. The plain twin of mmd_squared_between.
double mmd_squared(MatrixView x, MatrixView y, double sigma);

/// A sample and the sets of its rows that others are compared with.
struct ReferenceSets {
  MatrixView values;
  std::span<const RowSet> sets;
};

/// The rows of a sample that any of the sets holds, ascending, and the sets with places among them:
/// a control draws its sets from half of the rows, and the other half costs nothing.
struct UsedRows {
  UsedRows(std::span<const RowSet> of, std::size_t sample_rows);

  RowSet rows;
  std::vector<RowSet> sets;
};

/// MMD^2 of every set of rows of x with every set of each reference, [x_sets, reference sets] per
/// reference: each kernel value is computed once, however many sets hold its rows. Sets need at
/// least two rows each.
std::vector<Matrix> mmd_squared_to(MatrixView x, std::span<const RowSet> x_sets,
                                   std::span<const ReferenceSets> references, double sigma);

/// The same with one reference.
Matrix mmd_squared_between(MatrixView x, std::span<const RowSet> x_sets, MatrixView y,
                           std::span<const RowSet> y_sets, double sigma);

}  // namespace vestige::metrics
