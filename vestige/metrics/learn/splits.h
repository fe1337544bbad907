// Random splits of labelled rows into a training and a test part.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "vestige/base/seed.h"

namespace vestige::metrics {

struct LabelSplit {
  std::vector<std::size_t> train;  ///< ascending
  std::vector<std::size_t> test;   ///< ascending
};

/// One stratified split of binary labels: ceil(test_fraction * n) rows are held out, shared between
/// the classes in proportion (largest remainder; on equal remainders class 0 first). Every class
/// needs at least one row on each side.
LabelSplit stratified_split(std::span<const int> labels, double test_fraction, Stream& stream);

}  // namespace vestige::metrics
