// Centred symmetric matrices HAH, H = I - 11'/n: what HSIC's traces are made of.
#pragma once

#include <cstddef>
#include <vector>

#include "vestige/base/matrix.h"

namespace vestige::metrics {

/// Row means of a symmetric matrix and their mean: entry (i, j) of HAH is
/// A_ij - means[i] - means[j] + grand.
struct Centring {
  std::vector<double> means;
  double grand = 0;

  /// That entry, to the bit the same for (i, j) and (j, i).
  double entry(double value, std::size_t i, std::size_t j) const {
    return value - ((means[i] + means[j]) - grand);
  }
};

Centring centring(MatrixView matrix);

/// HAH of a positive semi-definite A, as floats off the diagonal. The diagonal carries most of a
/// trace and is kept in double; among the floats it is 0.
struct CentredFloats {
  std::size_t rows = 0;
  double scale = 0;  ///< entries were divided by this; 0 for a matrix of zeros, without `values`
  std::vector<double> diagonal;
  std::vector<float> values;  ///< [rows, rows]; kept from matrix to matrix, may be longer

  const float* row(std::size_t index) const { return values.data() + index * rows; }
};

/// Puts the centred matrix into `centred`, whose memory is used again.
void centre(MatrixView matrix, const Centring& centring, CentredFloats& centred);

}  // namespace vestige::metrics
