// Posterior differences and the classifier on them.
#include "vestige/metrics/scores/unleak.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "vestige/base/error.h"

namespace vestige::metrics {
namespace {

/// Classes by ascending value, equal ones in class order.
std::vector<std::size_t> ascending(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return values[left] < values[right];
  });
  return order;
}

std::vector<double> reduced(std::span<const double> posteriors, std::size_t kept) {
  const std::vector<std::size_t> order = ascending(posteriors);
  const std::size_t others = posteriors.size() - kept;
  double sum = 0;
  for (std::size_t index = others; index < order.size(); ++index) sum += posteriors[order[index]];
  std::vector<double> result(posteriors.begin(), posteriors.end());
  for (std::size_t index = 0; index < others; ++index) {
    result[order[index]] = (1 - sum) / static_cast<double>(others);
  }
  return result;
}

void append(const Matrix& features, int label, std::vector<double>& values,
            std::vector<int>& labels) {
  values.insert(values.end(), features.values().begin(), features.values().end());
  labels.insert(labels.end(), features.rows(), label);
}

}  // namespace

ColumnScaler::ColumnScaler(MatrixView features)
    : center(features.cols, 0), scale(features.cols, 0) {
  const auto count = static_cast<double>(features.rows);
  for (std::size_t column = 0; column < features.cols; ++column) {
    double sum = 0;
    for (std::size_t row = 0; row < features.rows; ++row) sum += features(row, column);
    center[column] = sum / count;
    double squares = 0;
    for (std::size_t row = 0; row < features.rows; ++row) {
      squares += std::pow(features(row, column) - center[column], 2);
    }
    scale[column] = squares > 0 ? std::sqrt(squares / count) : 1;
  }
}

Matrix ColumnScaler::apply(MatrixView features) const {
  Matrix result(features.rows, features.cols);
  for (std::size_t row = 0; row < features.rows; ++row) {
    for (std::size_t column = 0; column < features.cols; ++column) {
      result(row, column) = (features(row, column) - center[column]) / scale[column];
    }
  }
  return result;
}

Matrix unleak_features(MatrixView original, MatrixView unlearned, std::size_t kept) {
  require(original.rows == unlearned.rows && original.cols == unlearned.cols,
          "UnLeak: posteriors of the original are {} x {}, of the unlearned model {} x {}: both "
          "must have the same examples and classes",
          original.rows, original.cols, unlearned.rows, unlearned.cols);
  require(original.cols > kept, "UnLeak: {} classes, but {} posteriors are kept: needs one more",
          original.cols, kept);
  Matrix result(original.rows, original.cols);
  for (std::size_t row = 0; row < original.rows; ++row) {
    const std::vector<double> before = reduced(original.row(row), kept);
    const std::vector<double> after = reduced(unlearned.row(row), kept);
    const std::vector<std::size_t> order = ascending(before);
    for (std::size_t column = 0; column < order.size(); ++column) {
      result(row, column) = before[order[column]] - after[order[column]];
    }
  }
  return result;
}

UnleakAttack::Training UnleakAttack::training_of(std::span<const UnleakPair> pairs) {
  require(!pairs.empty(), "UnLeak: there is no shadow pair to learn from");
  Training training;
  training.columns = pairs.front().original_forget.cols();
  for (const UnleakPair& pair : pairs) {
    append(unleak_features(pair.original_forget, pair.unlearned_forget), 1, training.values,
           training.labels);
    append(unleak_features(pair.original_retain, pair.unlearned_retain), 0, training.values,
           training.labels);
  }
  require(training.values.size() == training.labels.size() * training.columns,
          "UnLeak: shadow pairs have different numbers of classes");
  return training;
}

UnleakAttack::UnleakAttack(const Training& training)
    : scaler_(training.features()),
      model_(fit_logistic(scaler_.apply(training.features()), training.labels)) {}

UnleakAttack::UnleakAttack(std::span<const UnleakPair> pairs) : UnleakAttack(training_of(pairs)) {}

std::vector<double> UnleakAttack::scores(MatrixView original, MatrixView unlearned) const {
  require(original.cols == scaler_.center.size(),
          "UnLeak: shadow pairs and target have different numbers of classes");
  const Matrix features = scaler_.apply(unleak_features(original, unlearned));
  std::vector<double> result(features.rows());
  for (std::size_t row = 0; row < result.size(); ++row) {
    result[row] = 1 - model_.probability(features.row(row));
  }
  return result;
}

}  // namespace vestige::metrics
