// Closeness of many models to many others on the same rows: every model's probabilities of a row
// are worked out once for all pairs that it is in.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vestige/evidence/evidence.h"
#include "vestige/metrics/closeness/closeness.h"

namespace vestige::metrics {

/// One model and those that it is compared with, by their places in a list of outputs.
struct Neighbours {
  std::size_t model;
  std::vector<std::size_t> references;  ///< at least one
};

/// Of each of `wanted` the mean over its references, row by row. `outputs` are [n, K] each, of one
/// split; an InputError if shapes differ. Rows are read in blocks and in parallel. Differs from the
/// mean of closeness() by rounding only.
std::vector<Closeness> mean_closeness(std::span<const evidence::Array* const> outputs,
                                      evidence::OutputKind kind,
                                      std::span<const Neighbours> wanted);

}  // namespace vestige::metrics
