// Maximum mean discrepancy (Gretton et al. 2012), unbiased, with the RBF kernel: between two
// samples, and between many sets of rows of two samples at once.
#pragma once

#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/sde/set_groups.h"

namespace vestige::metrics {

/// MMD^2 of x [m, d] and y [n, d]: mean kernel inside x and inside y, both without the diagonal,
/// minus twice the mean kernel between them. May be negative. NaN if a sample has fewer than two
/// rows. The plain twin of mmd_squared_between.
double mmd_squared(MatrixView x, MatrixView y, double sigma);

/// MMD^2 of every set of the left group with every set of the right one, [left sets, right sets]
/// per pair. Kernel values inside a sample are computed once, however many sets of however many
/// groups hold their rows. Sets need at least two rows each.
std::vector<Matrix> mmd_squared_of(std::span<const SampleSets> groups,
                                   std::span<const GroupPair> pairs, double sigma);

/// The same for one pair.
Matrix mmd_squared_between(MatrixView x, std::span<const RowSet> x_sets, MatrixView y,
                           std::span<const RowSet> y_sets, double sigma);

}  // namespace vestige::metrics
