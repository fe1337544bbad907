// A random forest of shallow trees for two classes (Breiman 2001), with the defaults of
// scikit-learn where nothing else is said: bootstrapped rows, the square root of the features at
// every split, Gini impurity, and the mean of the trees' class shares as probability.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vestige/base/matrix.h"

namespace vestige::metrics {

struct ForestOptions {
  std::size_t trees = 100;
  std::size_t depth = 2;     ///< splits between root and leaf at most
  std::size_t fewest = 5;    ///< training rows of a leaf at least, as drawn
  std::size_t features = 0;  ///< tried at every split; 0: the square root of their number
  bool bootstrap = true;     ///< every tree sees rows drawn with replacement; false: all rows
  std::uint64_t seed = 1;
};

/// Fits on `train` with labels 0 and 1, and gives the probability of class 1 for each row of
/// `test`. A split lies midway between two values of a feature and is taken where it lowers the
/// impurity most; of equal ones the first that was tried. Features without a split that leaves
/// `fewest` rows on both sides do not count among those tried. InputError if rows and labels, or
/// the features of train and test, differ in number.
std::vector<double> random_forest(MatrixView train, std::span<const int> labels, MatrixView test,
                                  const ForestOptions& options = {});

}  // namespace vestige::metrics
