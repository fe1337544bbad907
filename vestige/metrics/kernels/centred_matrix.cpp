// Means of rows, and centred entries as floats.
#include "vestige/metrics/kernels/centred_matrix.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "vestige/base/lanes.h"

namespace vestige::metrics {
namespace {

/// Centred entries of a row times `factor` as floats; vectors make no difference to the bytes.
struct CentredRow {
  template <std::size_t kWidth>
  VESTIGE_WITHIN static void run(const double* source, const double* means, double own,
                                 double grand, double factor, std::size_t count, float* target) {
    for (std::size_t col = 0; col < count; ++col) {
      target[col] = static_cast<float>((source[col] - ((own + means[col]) - grand)) * factor);
    }
  }
};

}  // namespace

Centring centring(MatrixView matrix) {
  Centring result;
  const auto n = static_cast<double>(matrix.rows);
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    // Four sums side by side: one chain of additions would wait for itself.
    double sums[4] = {};
    const auto values = matrix.row(row);
    std::size_t col = 0;
    for (; col + 4 <= values.size(); col += 4) {
#pragma GCC unroll 4
      for (std::size_t lane = 0; lane < 4; ++lane) sums[lane] += values[col + lane];
    }
    for (; col < values.size(); ++col) sums[col % 4] += values[col];
    result.means.push_back(((sums[0] + sums[1]) + (sums[2] + sums[3])) / n);
  }
  result.grand = std::accumulate(result.means.begin(), result.means.end(), 0.0) / n;
  return result;
}

void centre(MatrixView matrix, const Centring& centring, CentredFloats& centred) {
  assert(matrix.rows == matrix.cols);
  const std::size_t rows = matrix.rows;
  centred.rows = rows;
  centred.scale = 0;
  centred.diagonal.clear();
  for (std::size_t i = 0; i < rows; ++i) {
    centred.diagonal.push_back(centring.entry(matrix(i, i), i, i));
    // The largest entry of a positive semi-definite matrix lies on its diagonal.
    centred.scale = std::max(centred.scale, std::abs(centred.diagonal[i]));
  }
  if (centred.scale == 0) return;
  if (centred.values.size() < rows * rows) centred.values.resize(rows * rows);
  const double factor = 1 / centred.scale;
  for (std::size_t row = 0; row < rows; ++row) {
    float* target = centred.values.data() + row * rows;
    run_widest<CentredRow>(Instructions::best, matrix.row(row).data(), centring.means.data(),
                           centring.means[row], centring.grand, factor, rows, target);
    target[row] = 0;
  }
}

}  // namespace vestige::metrics
