// The Hilbert-Schmidt independence criterion Tr(KHLH) / (n - 1)^2 (Gretton et al. 2005), its
// distribution over shuffles of the second sample, and that distribution's exact mean and variance.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/base/seed.h"
#include "vestige/metrics/estimate.h"
#include "vestige/metrics/kernels/joint_traces.h"
#include "vestige/metrics/kernels/permuted_trace.h"

namespace vestige::metrics {

/// HSIC of two kernel matrices [n, n] of the same n >= 2.
double hsic(MatrixView k, MatrixView l);

/// `count` permutations of {0, ..., size - 1}, uniform and independent.
Permutations random_permutations(std::size_t size, std::size_t count, Stream& stream);

/// HSIC with the second sample reordered by each permutation p: L becomes L_p(i)p(j). Kernels are
/// never recomputed. Up to 128 rows in double; above by permuted_traces, within 1e-6 of the spread
/// over shuffles.
std::vector<double> hsic_shuffled(MatrixView k, MatrixView l, const Permutations& permutations);
/// The same where the row means are known already.
std::vector<double> hsic_shuffled(MatrixView k, const Centring& k_means, MatrixView l,
                                  const Centring& l_means, const Permutations& permutations);

/// Whether kernels of so many rows are shuffled faster together: up to 128 rows they are taken in
/// double, above 256 they leave the caches, and every thread would hold more than 8 MB.
bool shuffled_jointly(std::size_t rows);
/// hsic_shuffled of several pairs of kernels of the same size, shuffled_jointly and centred.
std::vector<std::vector<double>> hsic_shuffled(std::span<const CentredPair> pairs,
                                               const Permutations& permutations);

/// Mean and variance over all n! permutations.
struct PermutationMoments {
  double mean = kUndefined;
  double variance = kUndefined;
};

/// What the permutation moments need from one kernel matrix A = HKH.
struct KernelSums {
  std::size_t n = 0;
  double trace = 0;         ///< tr(A)
  double squares = 0;       ///< tr(A^2), the sum of all squared entries
  double diagonal = 0;      ///< sum of the squared diagonal entries
  double off_diagonal = 0;  ///< mean of K off the diagonal, uncentred; NaN for n < 2
};

KernelSums kernel_sums(MatrixView kernel, const Centring& means);

/// Exact moments of hsic_shuffled for two samples of n >= 2 (Kazi-Aoual, Hitier, Sabatier and
/// Lebreton 1995): mean tr(A) tr(B) / (n - 1)^3. The variance needs n >= 4; NaN below.
PermutationMoments permutation_moments(const KernelSums& a, const KernelSums& b);

}  // namespace vestige::metrics
