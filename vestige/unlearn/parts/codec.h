// CODEC, the conditional dependence coefficient of Azadkia and Chatterjee (2021, "A simple measure
// of conditional dependence", Annals of Statistics 49), and FOCI, the selection of
// variables built on it. No LibTorch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace vestige::unlearn {

/// Columns of equal length, one per variable.
using Columns = std::vector<std::vector<double>>;

/// T(Y, Z | X) in its estimate from n rows: 0 if Y is independent of Z given X, 1 if Y is a
/// function of Z given X, in the limit of many rows; x may be empty. With R_i the rank of Y_i, N(i)
/// the nearest neighbour of row i in X and M(i) that in (X, Z):
///   sum(min(R_i, R_M(i)) - min(R_i, R_N(i))) / sum(R_i - min(R_i, R_N(i))),
/// and without X, with L_i the number of Y_j >= Y_i:
///   sum(n min(R_i, R_M(i)) - L_i^2) / sum(L_i (n - L_i)).
/// NaN where the denominator is 0. Neighbours at the same distance are drawn from the stream (seed,
/// "codec/ties"). Distances are Euclidean in the columns as given.
double codec(std::span<const double> y, const Columns& z, const Columns& x, std::uint64_t seed = 0);

/// One chosen variable with its coefficient given those chosen before it.
struct FociChoice {
  std::size_t column = 0;
  double coefficient = 0;
};

/// Forward selection: again and again the column of the largest T(Y, column | chosen), until that
/// is not positive or `most` are chosen. Columns are scaled to unit variance first; constant ones
/// are never chosen. The first column wins a tie.
std::vector<FociChoice> foci(std::span<const double> y, const Columns& columns, std::size_t most,
                             std::uint64_t seed = 0);

}  // namespace vestige::unlearn
