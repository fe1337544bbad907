// UnLeak (Chen et al. 2021, "When Machine Unlearning Jeopardizes Privacy"): a classifier on how
// posteriors changed between a model and its unlearned version, trained on shadow pairs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/metrics/learn/logistic.h"

namespace vestige::metrics {

/// Features [rows, classes]: of each model the `kept` largest posteriors stay and the others become
/// (1 - their sum) / (classes - kept); then original - unlearned, ordered ascending by the
/// original's reduced posteriors. Equal ones keep the order of the classes (the reference leaves
/// their order to an unstable sort). Throws unless both have the same shape and more classes than
/// `kept`.
Matrix unleak_features(MatrixView original, MatrixView unlearned, std::size_t kept = 3);

/// Fewer classes leave nothing to reduce beside the three largest posteriors.
inline constexpr std::size_t kUnleakClasses = 4;

/// Posteriors of one shadow pair on rows that its unlearning removed and rows that it kept.
struct UnleakPair {
  Matrix original_forget;
  Matrix unlearned_forget;
  Matrix original_retain;
  Matrix unlearned_retain;
};

/// Columns to mean 0 and deviation 1 (ddof 0), as scikit-learn's StandardScaler; constant columns
/// keep deviation 1.
struct ColumnScaler {
  explicit ColumnScaler(MatrixView features);
  Matrix apply(MatrixView features) const;

  std::vector<double> center;
  std::vector<double> scale;
};

/// Logistic regression on standardised features of all pairs (C = 1).
class UnleakAttack {
 public:
  /// Throws without pairs.
  explicit UnleakAttack(std::span<const UnleakPair> pairs);
  /// Membership score of target rows: 1 - probability of "was unlearned".
  std::vector<double> scores(MatrixView original, MatrixView unlearned) const;

 private:
  struct Training {
    std::vector<double> values;
    std::vector<int> labels;
    std::size_t columns = 0;
    MatrixView features() const { return {values.data(), labels.size(), columns}; }
  };
  static Training training_of(std::span<const UnleakPair> pairs);
  explicit UnleakAttack(const Training& training);

  ColumnScaler scaler_;
  LogisticModel model_;
};

}  // namespace vestige::metrics
