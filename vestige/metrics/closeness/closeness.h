// How far apart the answers of two models are, row by row: the distances to a retrained model that
// unlearning papers print.
#pragma once

#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

struct Closeness {
  /// 1 where both models' largest probability is of the same class, else 0; a tie counts for the
  /// lowest class.
  std::vector<double> agreement;
  /// Euclidean distance of the two probability vectors, in [0, sqrt 2] ("activation distance" of
  /// Golatkar et al. 2021, whose activations are those after the softmax).
  std::vector<double> distance;
  /// Jensen-Shannon divergence in nats, in [0, ln 2].
  std::vector<double> divergence;
};

/// `model` and `other` hold probabilities of the same rows and classes, [n, K] each. InputError if
/// the shapes differ.
Closeness closeness(MatrixView model, MatrixView other);

}  // namespace vestige::metrics
