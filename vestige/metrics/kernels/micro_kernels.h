// Blocks of dot products, 8 x 8 or 8 x 16: the inner loops of dot_tile.
#pragma once

#include <cstddef>

#include "vestige/metrics/kernels/dot_products.h"

namespace vestige::metrics {

/// One block: the rows of panel `a` with those of panel `b` and, to its right, of `b_next`.
struct MicroBlock {
  const double* a;
  const double* b;
  const double* b_next;  ///< nullptr where the kernel takes one panel
  std::size_t depth;     ///< columns
  double* out;
  std::size_t stride;  ///< from one row of `out` to the next
  bool add;            ///< to what is in `out`; otherwise it is overwritten
};

/// Every sum runs over the columns in order, whatever the vector width.
using MicroKernel = void (*)(const MicroBlock& block);

struct MicroKernels {
  MicroKernel one;  ///< 8 x 8
  MicroKernel two;  ///< 8 x 16; nullptr where that is no faster
};

/// For this processor, as far as `vectors` allows; the bytes depend on `products` alone.
MicroKernels micro_kernels(Products products, Vectors vectors);

}  // namespace vestige::metrics
