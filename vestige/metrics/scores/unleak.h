// UnLeak (Chen et al. 2021, "When Machine Unlearning Jeopardizes Privacy"): a classifier on how
// posteriors changed between a model and its unlearned version, trained on shadow pairs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/estimate.h"

namespace vestige::metrics {

/// Features [rows, classes]: of each model the `kept` largest posteriors stay and the others become
/// (1 - their sum) / (classes - kept); then original - unlearned, ordered ascending by the
/// original's reduced posteriors. Equal ones keep the order of the classes (the reference leaves
/// their order to an unstable sort). Throws unless both have the same shape and more classes than
/// `kept`.
Matrix unleak_features(MatrixView original, MatrixView unlearned, std::size_t kept = 3);

/// Posteriors of one shadow pair on rows that its unlearning removed and rows that it kept.
struct UnleakPair {
  Matrix original_forget;
  Matrix unlearned_forget;
  Matrix original_retain;
  Matrix unlearned_retain;
};

/// Membership score of target rows: 1 - probability of "was unlearned" by logistic regression on
/// standardised features of all pairs (C = 1). Throws without pairs.
std::vector<double> unleak_attack(std::span<const UnleakPair> pairs, MatrixView original,
                                  MatrixView unlearned);

}  // namespace vestige::metrics
