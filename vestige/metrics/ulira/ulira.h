// U-LiRA, the likelihood-ratio attack on unlearning with an attacker for each row (Hayes et al.
// 2024, "Inexact unlearning needs more careful evaluations to avoid a false sense of privacy"):
// was this model unlearned, or never trained on the row?
#pragma once

#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

struct Ulira {
  std::vector<double> accuracy;  ///< per row: share of models told right, both sides alike weighted
  std::vector<double> auc;       ///< per row: chance that an unlearned model scores above another
  bool one_deviation = false;    ///< few models: one standard deviation per group for all rows
};

/// Confidences of unlearned and of retrained models, [models, rows] each. Models of even number fit
/// a normal distribution per row and side, those of odd number are told apart by the likelihood
/// ratio ln N(x; unlearned) - ln N(x; retrained), then the other way round; a ratio of 0 counts one
/// half; NaN where a ratio is (infinite confidences). Below kModelsForDeviations models per group
/// and half, the standard deviation (ddof 0) is the root of the mean variance over rows. InputError
/// for fewer than four models per group or rows that differ in number.
Ulira ulira(MatrixView unlearned, MatrixView retrained);

}  // namespace vestige::metrics
