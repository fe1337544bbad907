// Fisher forgetting: noise on every weight, the more the less retain depends on it.
#pragma once

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

/// What the noise on a parameter depends on besides its Fisher values.
struct FisherNoise {
  double alpha = 1e-6;      ///< strength
  double exponent = 0.5;    ///< 0.5: published code; 0.25: the paper's formula
  bool classifier = false;  ///< weights or biases of the last layer
};

/// Standard deviations of the noise: (alpha * v)^exponent with v = min(1 / (F + 1e-8), 1e3), or 1e2
/// for the classifier, averaged over dimension 2 (inputs of a neuron; parameters are [1, neurons,
/// inputs, ...]) and 10 times as large for the classifier and for parameters without inputs.
torch::Tensor fisher_deviation(const torch::Tensor& fisher, const FisherNoise& noise);

}  // namespace vestige::unlearn
