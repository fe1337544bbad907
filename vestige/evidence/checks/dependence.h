// Do two lists of rows speak of the same samples in the same order? A test of independence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"

namespace vestige::evidence {

/// What a source says of n rows, ready to be compared: column by column ranked, centred and of
/// length 1; columns without variation are zero.
struct RowFeatures {
  Matrix values;       ///< [n, d]
  double spread = 0;   ///< Frobenius norm of the columns' correlation matrix; 0: nothing varies
  double columns = 0;  ///< columns that vary
};

/// Ranks (ties share their mean rank) make it robust against saturated outputs.
RowFeatures row_features(const Matrix& columns);

/// The same with the mean of each class taken out, so that only what distinguishes rows of one
/// class is left.
RowFeatures within_classes(const RowFeatures& features, std::span<const std::int64_t> labels);

/// How far the cross-correlations R (d x e) of two sources exceed what independent rows give, in
/// standard deviations: T = n sum R^2 has mean d e and variance 2 |R_a|^2 |R_b|^2 if rows are
/// independent (n R is then about normal with covariance R_a x R_b; Escoufier's RV coefficient is
/// T / (n |R_a| |R_b|)). At most about n / sqrt(2); 0 if a source does not vary. Near 0, and for
/// few free columns seldom above 10, if the rows are in different orders.
double dependence(const RowFeatures& left, const RowFeatures& right);

}  // namespace vestige::evidence
