// A data set in memory: what every loader returns and every split, model and trainer reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/base/options.h"

namespace vestige::data {

/// All rows, the official training part first. Inputs are either bytes (images, 0 to 255) or
/// values (tables), row-major [rows, shape...]; exactly one of the two is filled. A set made for
/// plans has the inputs of its first `held_rows` alone.
struct Dataset {
  std::string name;
  std::vector<std::int64_t> shape;   ///< of one row: {channels, height, width} or {columns}
  std::vector<std::uint8_t> bytes;   ///< images
  std::vector<float> values;         ///< real-valued inputs
  std::vector<std::int64_t> labels;  ///< 0 .. classes - 1, one per row
  std::size_t train_rows = 0;        ///< rows [0, train_rows) are the official training part
  std::int64_t classes = 0;
  std::vector<std::string> class_names;  ///< empty, or one per class
  std::vector<std::int64_t> subclasses;  ///< finer classes (CIFAR-20's fine labels); may be empty
  std::vector<std::int64_t> subjects;    ///< who each row belongs to; may be empty
  std::vector<float> mean, deviation;    ///< per channel, of inputs scaled to [0, 1] if bytes;
                                         ///< of the values as they are otherwise
  std::string sha256;                    ///< of inputs, labels, subclasses and subjects

  /// Above 0: the inputs of so many rows are held, and row r shows what row r mod held_rows shows.
  std::size_t held_rows = 0;

  std::size_t rows() const { return labels.size(); }
  /// The row whose inputs are those of `row`.
  std::size_t input_row(std::size_t row) const { return held_rows > 0 ? row % held_rows : row; }
  std::size_t input_rows() const { return held_rows > 0 ? held_rows : rows(); }
  std::size_t row_size() const;  ///< items per row: product of shape
};

/// Loads the set that `[data]` names; unknown keys, missing and damaged files are InputErrors.
/// Every loader reads its own keys; `name` and `path` are common. Runs on the context's threads.
Dataset load(Options& options, const Context& context = {});

/// Names of all loaders with one line each: what it is and which files it wants.
struct LoaderInfo {
  std::string name;
  std::string summary;
};
const std::vector<LoaderInfo>& loaders();

/// Fills sha256, and mean and deviation (over the training part) where they are empty; checks
/// sizes and label range. Every loader ends with it.
void finish(Dataset& dataset);

}  // namespace vestige::data
