// The Frechet distance of two samples, each taken for a normal distribution.
#pragma once

#include "vestige/base/matrix.h"

namespace vestige::metrics {

/// |m1 - m2|^2 + tr(S1 + S2 - 2 (S1 S2)^(1/2)) with means m and covariances S (over n - 1) of the
/// rows of `first` and `second`, [n, d] (Dowson and Landau 1982; Heusel et al. 2017). NaN below two
/// rows each. The numbers of columns must agree.
double frechet_distance(MatrixView first, MatrixView second);

}  // namespace vestige::metrics
