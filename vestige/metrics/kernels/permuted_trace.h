// sum_ij A_ij B_p(i)p(j) of two centred symmetric matrices for many permutations p: the inner loop
// of HSIC's permutation distribution.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/kernels/centred_matrix.h"
#include "vestige/metrics/kernels/dot_products.h"

namespace vestige::metrics {

/// Permutations of {0, ..., size - 1}, one after the other in `values`.
struct Permutations {
  std::size_t size = 0;
  std::vector<std::uint32_t> values;

  std::size_t count() const { return size == 0 ? 0 : values.size() / size; }
  std::span<const std::uint32_t> at(std::size_t index) const {
    return {values.data() + index * size, size};
  }
};

/// Tr(HAH P HBH P') for each permutation, in double throughout: the plain twin.
std::vector<double> permuted_traces_plain(MatrixView a, MatrixView b,
                                          const Permutations& permutations);

/// The same, blocked for the cache and with AVX2 where the machine has it, for positive
/// semi-definite matrices. Off the diagonal, centred entries are stored as floats and sums of 26
/// products are formed in float before they are added in double; the diagonal, which carries most
/// of the trace, is double throughout. The difference to the plain twin is below 1e-6 of
/// the spread over shuffles. The bytes do not depend on the vector width.
std::vector<double> permuted_traces(MatrixView a, const Centring& a_means, MatrixView b,
                                    const Centring& b_means, const Permutations& permutations,
                                    Vectors vectors = Vectors::avx2);
/// Of matrices that are centred already.
std::vector<double> permuted_traces(const CentredFloats& a, const CentredFloats& b,
                                    const Permutations& permutations,
                                    Vectors vectors = Vectors::avx2);

}  // namespace vestige::metrics
