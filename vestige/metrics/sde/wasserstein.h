// Sliced Wasserstein-1 distance (Bonneel et al. 2015): the mean over fixed directions of the
// one-dimensional distance between projected samples.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/sde/set_groups.h"

namespace vestige::metrics {

/// Wasserstein-1 between two samples given in ascending order: the area between their distribution
/// functions. NaN if one is empty.
double wasserstein_sorted(std::span<const double> x, std::span<const double> y);

/// `count` unit vectors of the given dimension, [count, dimension], uniform on the sphere and the
/// same in every run: the distance is a fixed function of the samples.
Matrix slice_directions(std::size_t count, std::size_t dimension);

/// Mean over `slices` directions of the distance between the projections of x [m, d] and y [n, d].
/// The plain twin of sliced_wasserstein_between.
double sliced_wasserstein(MatrixView x, MatrixView y, std::size_t slices = 200);

/// The same for every set of the left group with every set of the right one, [left sets, right
/// sets] per pair: the rows of a sample are projected and sorted once per direction. Sets must not
/// be empty.
std::vector<Matrix> sliced_wasserstein_of(std::span<const SampleSets> groups,
                                          std::span<const GroupPair> pairs,
                                          std::size_t slices = 200);

/// The same for one pair.
Matrix sliced_wasserstein_between(MatrixView x, std::span<const RowSet> x_sets, MatrixView y,
                                  std::span<const RowSet> y_sets, std::size_t slices = 200);

}  // namespace vestige::metrics
