// What all loaders end with: checks, channel statistics and the content hash.
#include "vestige/data/dataset.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include "vestige/base/error.h"
#include "vestige/base/sha256.h"

namespace vestige::data {
namespace {

template <typename T>
std::string hash_of(const std::vector<T>& items) {
  return sha256(std::as_bytes(std::span(items)));
}

void check(const Dataset& dataset) {
  const std::size_t rows = dataset.rows();
  require(rows > 0, "the data set {} has no rows: check its files", dataset.name);
  require(dataset.train_rows <= rows, "the data set {} has {} rows but {} training examples",
          dataset.name, rows, dataset.train_rows);
  const std::size_t items = dataset.bytes.empty() ? dataset.values.size() : dataset.bytes.size();
  require(items == dataset.input_rows() * dataset.row_size(),
          "the data set {} has {} labels and {} input values of {} per row: images and labels must "
          "be of the same set",
          dataset.name, rows, items, dataset.row_size());
  for (std::size_t row = 0; row < rows; ++row) {
    require(dataset.labels[row] >= 0 && dataset.labels[row] < dataset.classes,
            "row {} of the data set {} has label {}: labels must be 0 to {}", row, dataset.name,
            dataset.labels[row], dataset.classes - 1);
  }
  for (const auto* extra : {&dataset.subclasses, &dataset.subjects}) {
    require(extra->empty() || extra->size() == rows,
            "the data set {} has {} rows but {} subclasses or subjects: one per row is needed",
            dataset.name, rows, extra->size());
  }
  for (std::size_t index = 0; index < dataset.values.size(); ++index) {
    require(
        std::isfinite(dataset.values[index]),
        "row {} of the data set {} holds a value that is not finite: remove or fix that example",
        index / dataset.row_size(), dataset.name);
  }
}

/// Mean and population standard deviation of each channel over the training part (the columns of a
/// table are one channel each). A constant channel gets deviation 1.
void measure_channels(Dataset& dataset) {
  const auto channels = static_cast<std::size_t>(dataset.shape[0]);
  const std::size_t pixels = dataset.row_size() / channels;
  const double scale = dataset.bytes.empty() ? 1.0 : 1.0 / 255.0;
  const std::size_t rows =
      std::min(dataset.train_rows > 0 ? dataset.train_rows : dataset.rows(), dataset.input_rows());
  const double count = static_cast<double>(rows * pixels);
  for (std::size_t channel = 0; channel < channels; ++channel) {
    const auto sum = [&](const auto& term) {
      double total = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t first = row * dataset.row_size() + channel * pixels;
        for (std::size_t index = first; index < first + pixels; ++index) {
          total +=
              term(scale * (dataset.bytes.empty() ? static_cast<double>(dataset.values[index])
                                                  : static_cast<double>(dataset.bytes[index])));
        }
      }
      return total;
    };
    const double mean = sum([](double value) { return value; }) / count;
    const double variance =
        sum([mean](double value) { return (value - mean) * (value - mean); }) / count;
    dataset.mean.push_back(static_cast<float>(mean));
    dataset.deviation.push_back(variance > 0 ? static_cast<float>(std::sqrt(variance)) : 1.0F);
  }
}

}  // namespace

std::size_t Dataset::row_size() const {
  return static_cast<std::size_t>(
      std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
}

void finish(Dataset& dataset) {
  check(dataset);
  if (dataset.mean.empty()) measure_channels(dataset);
  const std::string all = hash_of(dataset.bytes) + hash_of(dataset.values) +
                          hash_of(dataset.labels) + hash_of(dataset.subclasses) +
                          hash_of(dataset.subjects) + hash_of(dataset.shape) +
                          std::to_string(dataset.train_rows);
  dataset.sha256 = sha256(std::as_bytes(std::span(all)));
}

}  // namespace vestige::data
