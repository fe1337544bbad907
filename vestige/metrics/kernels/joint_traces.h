// permuted_traces of several pairs of matrices under the same permutations: those of models that
// are asked about the same rows.
#pragma once

#include <span>
#include <vector>

#include "vestige/metrics/kernels/permuted_trace.h"

namespace vestige::metrics {

struct CentredPair {
  CentredFloats a;
  CentredFloats b;
};

/// Pairs of which one vector holds an entry each.
inline constexpr std::size_t kJointPairs = 8;

/// Traces of each pair, which have the same number of rows; the bytes are those of permuted_traces.
/// Where the processor has AVX2, eight pairs take a third of their time one by one.
std::vector<std::vector<double>> joint_permuted_traces(std::span<const CentredPair> pairs,
                                                       const Permutations& permutations,
                                                       Vectors vectors = Vectors::avx2);

}  // namespace vestige::metrics
