// The dual problem of a two-class support vector machine with an RBF kernel, solved by sequential
// minimal optimisation in exactly LIBSVM's steps, with its inner loops over vectors.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"

namespace vestige::metrics {

struct SmoOptions {
  double cost = 1;          ///< C, the price of a margin violation
  double gamma = 1;         ///< of exp(-gamma |x-y|^2)
  double tolerance = 1e-3;  ///< of the KKT conditions
  double cache_mb = 8;      ///< kernel cache; changes the time, not the answer
};

/// f(x) = sum over the support vectors of coefficient exp(-gamma |x_i - x|^2) - rho.
struct SmoSolution {
  std::vector<std::size_t> places;   ///< rows of the support vectors: those of label 1 first
  std::vector<double> coefficients;  ///< alpha_i y_i, in that order
  double rho = 0;
};

/// `rows` is [n, d] and finite, `labels` holds zeros and ones, both of them. The working set is
/// chosen by second-order information (Fan, Chen and Lin 2005); shrinking, stopping and rounding
/// are LIBSVM's (Chang and Lin 2011), down to kernel values in float, so that the answer is
/// LIBSVM's to the last bit.
SmoSolution solve_smo(MatrixView rows, std::span<const int> labels, const SmoOptions& options);

}  // namespace vestige::metrics
