// Features from log-probabilities.
#include "vestige/metrics/inputs/attack_features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "vestige/base/error.h"
#include "vestige/base/exponentials.h"
#include "vestige/metrics/learn/simple_mia.h"

namespace vestige::metrics {
namespace {

constexpr std::array kFeatures{AttackFeatures::softmax, AttackFeatures::sorted_softmax,
                               AttackFeatures::logits, AttackFeatures::true_class,
                               AttackFeatures::saliency};

void check_labels(MatrixView log_probabilities, std::span<const std::int64_t> labels) {
  require(labels.size() == log_probabilities.rows, "{} rows and {} labels: give one label per row",
          log_probabilities.rows, labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require(labels[i] >= 0 && static_cast<std::size_t>(labels[i]) < log_probabilities.cols,
            "label {} at row {} is outside the {} classes", labels[i], i, log_probabilities.cols);
  }
}

double cut(double value) { return std::clamp(value, -kLargestLoss, kLargestLoss); }

}  // namespace

std::string_view name(AttackFeatures features) {
  switch (features) {
    case AttackFeatures::softmax:
      return "softmax";
    case AttackFeatures::sorted_softmax:
      return "sorted_softmax";
    case AttackFeatures::logits:
      return "logits";
    case AttackFeatures::true_class:
      return "true_class";
    case AttackFeatures::saliency:
      return "saliency";
  }
  return "";
}

AttackFeatures attack_features(std::string_view wanted) {
  for (const AttackFeatures features : kFeatures) {
    if (name(features) == wanted) return features;
  }
  fail(
      "attack features \"{}\" are unknown: use softmax, sorted_softmax, logits, true_class or "
      "saliency",
      wanted);
}

Matrix softmax_features(MatrixView log_probabilities) {
  Matrix result(log_probabilities.rows, log_probabilities.cols);
  exponentials(log_probabilities.values(), result.values());
  return result;
}

Matrix sorted_softmax_features(MatrixView log_probabilities) {
  Matrix result = softmax_features(log_probabilities);
  for (std::size_t i = 0; i < result.rows(); ++i) {
    std::sort(result.row(i).begin(), result.row(i).end(), std::greater<>());
  }
  return result;
}

Matrix true_class_features(MatrixView log_probabilities, std::span<const std::int64_t> labels) {
  check_labels(log_probabilities, labels);
  Matrix result(log_probabilities.rows, 4);
  std::vector<double> probabilities(log_probabilities.cols);
  for (std::size_t i = 0; i < result.rows(); ++i) {
    const auto row = log_probabilities.row(i);
    const auto label = static_cast<std::size_t>(labels[i]);
    double entropy = 0, largest_other = 0;
    exponentials(row, probabilities);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const double p = probabilities[k];
      if (p > 0) entropy -= p * row[k];
      if (k != label) largest_other = std::max(largest_other, p);
    }
    const double confidence = probabilities[label];
    result(i, 0) = confidence;
    result(i, 1) = cut(-row[label]);
    result(i, 2) = entropy;
    result(i, 3) = confidence - largest_other;
  }
  return result;
}

std::vector<double> true_class_losses(MatrixView log_probabilities,
                                      std::span<const std::int64_t> labels) {
  check_labels(log_probabilities, labels);
  std::vector<double> losses(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    losses[i] = cut(-log_probabilities(i, static_cast<std::size_t>(labels[i])));
  }
  return losses;
}

}  // namespace vestige::metrics
