// Zero-retrain forgetting (Chundawat et al. 2023): how close the predictions on forget rows are to
// those of an incompetent teacher, a model that was never trained.
#pragma once

#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

struct Zrf {
  double score = kUndefined;        ///< 1 - mean over rows of the Jensen-Shannon divergence in nats
  double reference = kUndefined;    ///< what published code computes, see below; may be -inf
  std::vector<double> score_terms;  ///< per row; their mean is `score`
  std::vector<double> reference_terms;  ///< per row; their mean is `reference`

  /// Mean Jensen-Shannon divergence in nats.
  double divergence() const { return 1 - score; }
};

/// `model` and `teacher` hold probabilities, [n, K] each. With m = (p + q) / 2:
/// score     = 1 - mean_i (KL(p_i || m_i) + KL(q_i || m_i)) / 2;
/// reference = 1 - (sum_ik m ln(m / p) + m ln(m / q)) / (2 N K), the arguments of KL swapped and
///             averaged over all entries as in the code published with selective synaptic
///             dampening: infinite where one side is 0 and the other is not.
/// No rows: NaN.
Zrf zrf(MatrixView model, MatrixView teacher);

}  // namespace vestige::metrics
