// Boosted trees for two classes: XGBoost with its own defaults, one thread and a fixed seed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"

namespace vestige::metrics {

struct BoostedTreesOptions {
  int rounds = 100;        ///< trees; the default of XGBoost's scikit-learn interface
  std::uint64_t seed = 1;  ///< XGBoost keeps 32 bits of it
};

/// Fits on `train` with labels 0 and 1, and gives the probability of class 1 for each row of
/// `test`. Features are passed as float, as XGBoost stores them. InputError if a feature is not
/// finite.
std::vector<double> boosted_trees(MatrixView train, std::span<const int> labels, MatrixView test,
                                  const BoostedTreesOptions& options = {});

}  // namespace vestige::metrics
