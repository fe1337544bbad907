// Membership attacks of published unlearning code: a classifier is fitted on retain (member)
// against test (not), and asked about the forget rows.
#pragma once

#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/estimate.h"
#include "vestige/metrics/learn/logistic.h"

namespace vestige::metrics {

/// Entropy of each row of probabilities in nats; 0 ln 0 = 0.
std::vector<double> entropies(MatrixView probabilities);

struct LogisticMembership {
  double member_share = kUndefined;  ///< share of forget rows called members
  std::vector<int> predictions;      ///< per forget row: 1 member
  LogisticModel classifier;
};

/// Logistic regression on one feature per row, class weights balanced: on the entropy it is the
/// attack of the code published with selective synaptic dampening. That code's multinomial form
/// with C = 1 has the binary objective with C = 2, the default here. NaN without rows on a side.
LogisticMembership logistic_membership(std::span<const double> retain, std::span<const double> test,
                                       std::span<const double> forget, double c = 2);

}  // namespace vestige::metrics
