// What the two ways to permuted traces share, so that both give the same bytes: which products are
// added up as floats, and how their sums make a trace.
//
// With q the inverse of p and B symmetric, the part off the diagonal is twice that of one triangle,
//   sum_{i != j} A_ij B_p(i)p(j) = 2 sum_i sum_{c < p(i)} B_p(i)c A_q(c)i.
// For each position i, products over kTraceColumns columns c are added in float in four chains, one
// for each c modulo 4; the four are added pairwise, and that in double to sum i modulo kTraceSums.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vestige/metrics/kernels/permuted_trace.h"

namespace vestige::metrics {

inline constexpr std::size_t kTraceColumns = 104;
inline constexpr std::size_t kTraceSums = 8;

/// Whether the processor has what both ways are written for.
bool traces_in_vectors(Vectors vectors);

/// sum_i left[i] right[p(i)] of each permutation: what the diagonals add.
std::vector<double> diagonal_traces(std::span<const double> left, std::span<const double> right,
                                    const Permutations& permutations);

/// A trace from its diagonal and the kTraceSums sums of its triangle, which lie `stride` apart.
inline double trace_of(double diagonal, const double* sums, std::size_t stride, double scale) {
  const auto at = [&](std::size_t index) { return sums[index * stride]; };
  const double triangle = ((at(0) + at(1)) + (at(2) + at(3))) + ((at(4) + at(5)) + (at(6) + at(7)));
  return diagonal + 2 * triangle * scale;
}

}  // namespace vestige::metrics
