// What a membership attack looks at: features of a row made from a model's log-probabilities.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vestige/base/matrix.h"

namespace vestige::metrics {

enum class AttackFeatures {
  softmax,         ///< class probabilities, as in the MIAU paper
  sorted_softmax,  ///< the same in descending order: class identity removed
  logits,          ///< raw outputs, or log-probabilities where the evidence has no logits
  true_class,      ///< confidence, loss, entropy and margin of the true class
  saliency         ///< input-gradient maps, from saliency arrays
};

/// "softmax", ...
std::string_view name(AttackFeatures features);
/// By name; InputError lists the names.
AttackFeatures attack_features(std::string_view name);

/// Probabilities of each row, in class order or descending.
Matrix softmax_features(MatrixView log_probabilities);
Matrix sorted_softmax_features(MatrixView log_probabilities);

/// Per row: p_y, -ln p_y (cut at kLargestLoss), the entropy in nats, and p_y minus the largest
/// other probability. InputError if labels and rows do not match.
Matrix true_class_features(MatrixView log_probabilities, std::span<const std::int64_t> labels);

/// -ln p_y per row, cut at kLargestLoss.
std::vector<double> true_class_losses(MatrixView log_probabilities,
                                      std::span<const std::int64_t> labels);

}  // namespace vestige::metrics
