// Small data sets for tests of splits: the labels are given, the input is the row number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vestige/base/options.h"
#include "vestige/data/dataset.h"
#include "vestige/data/splits/split.h"

namespace vestige::data::testing {

struct SmallShape {
  std::size_t train = 100;    ///< rows of the official training part
  std::size_t test = 40;      ///< rows of the official test part
  std::int64_t classes = 4;   ///< label of row i is i % classes
  std::int64_t subjects = 0;  ///< subject of row i is i / 3 % subjects; 0: none
  std::int64_t subclasses =
      0;  ///< subclass of row i is label + classes * (i / classes % subclasses)
};

inline Dataset small_dataset(const SmallShape& shape) {
  Dataset dataset;
  dataset.name = "small";
  dataset.shape = {1};
  dataset.classes = shape.classes;
  dataset.train_rows = shape.train;
  for (std::size_t row = 0; row < shape.train + shape.test; ++row) {
    const auto number = static_cast<std::int64_t>(row);
    dataset.values.push_back(static_cast<float>(row));
    dataset.labels.push_back(number % shape.classes);
    if (shape.subjects > 0) dataset.subjects.push_back(number / 3 % shape.subjects);
    if (shape.subclasses > 0) {
      dataset.subclasses.push_back(number % shape.classes +
                                   shape.classes * (number / shape.classes % shape.subclasses));
    }
  }
  finish(dataset);
  return dataset;
}

/// The split of two tables of settings, which errors call [split] and [forget].
inline Split split_of(const Dataset& dataset, const Json& sizes = Json(),
                      const Json& forget = Json()) {
  Options size_options(sizes, "[split]");
  Options forget_options(forget, "[forget]");
  return make_split(dataset, size_options, forget_options);
}

/// Rows per class.
inline std::vector<std::size_t> class_counts(const Dataset& dataset,
                                             const std::vector<std::int64_t>& rows) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(dataset.classes), 0);
  for (const std::int64_t row : rows) {
    ++counts[static_cast<std::size_t>(dataset.labels[static_cast<std::size_t>(row)])];
  }
  return counts;
}

}  // namespace vestige::data::testing
