// Nystroem features (Williams and Seeger 2001): a kernel matrix K of n rows as ZZ', with as many
// columns in Z as there are landmark rows. Time and memory grow with n instead of its square, and
// what is left out is known: K - ZZ' is positive semi-definite, and its trace costs nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/kernels/hsic.h"
#include "vestige/metrics/kernels/rbf_kernel.h"

namespace vestige::metrics {

/// One sample, seen through landmarks that are rows of it.
struct NystromSample {
  Matrix features;      ///< Z with its column means taken away, [n, at most landmarks]
  KernelSums sums;      ///< of HZZ'H; off_diagonal of ZZ'
  double left_out = 0;  ///< trace of K - ZZ', at least that of H(K - ZZ')H
  double largest = 0;   ///< largest eigenvalue of HZZ'H
};

/// Features of the picked rows of `values` [n, d]; `landmarks` are places among `rows`, without
/// repetition. `shape` is rbf or laplace, whose diagonal is 1.
NystromSample nystrom_sample(MatrixView values, KernelShape shape, double sigma,
                             std::span<const std::uint32_t> rows,
                             std::span<const std::size_t> landmarks);

/// HSIC of two samples of the same n >= 2 with the second one reordered by each permutation, from
/// features. The exact value is never smaller, and larger by nystrom_gap at most.
std::vector<double> hsic_shuffled(const NystromSample& k, const NystromSample& l,
                                  const Permutations& permutations);

/// With A = HKH = A' + D and B = HLH = B' + E, all positive semi-definite: Tr(AB) - Tr(A'B') =
/// Tr(DB) + Tr(A'E) <= tr(D) (largest(B') + tr(E)) + largest(A') tr(E), whatever the order of rows;
/// divided by (n - 1)^2.
double nystrom_gap(const NystromSample& k, const NystromSample& l);

}  // namespace vestige::metrics
