// Logit-scaled confidence of the true class, the statistic behind epsilon and likelihood attacks:
// ln p_y - ln(sum of the other probabilities) (Carlini et al. 2022).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/base/matrix.h"
#include "vestige/evidence/evidence.h"

namespace vestige::metrics {

/// Which arithmetic is used.
enum class ConfidenceNumerics {
  exact,      ///< log-sum-exp in double; does not saturate
  reference,  ///< the public scorer's: softmax in the input's precision, 1e-45 inside each
              ///< logarithm
};

/// Exact confidence from logits or log-probabilities (the answer is the same): x_y - ln(sum over
/// j != y of exp x_j). InputError for fewer than two classes or a label out of range.
double logit_confidence(std::span<const double> logits, std::size_t label);

/// What the public scorer returns for one row.
struct ReferenceConfidence {
  double probability = 0;  ///< p_y
  double confidence = 0;   ///< saturates near +-103.6
};

/// The public scorer's arithmetic: the maximum is subtracted and exp taken in the type of the
/// logits, everything else is double.
ReferenceConfidence reference_confidence(std::span<const float> logits, std::size_t label);
ReferenceConfidence reference_confidence(std::span<const double> logits, std::size_t label);

/// Confidences of a split's rows under each model, [models, rows]. Rows are streamed from the
/// arrays, so that no more than the result is held in memory. Probabilities below 1e-45 count as
/// 1e-45. In reference numerics float64 outputs are taken as they are and all others as float32.
/// InputError if a model lacks the split, rows and labels differ in number, or a label is not a
/// class.
Matrix confidences(const Context& context, const std::vector<const evidence::Model*>& models,
                   std::string_view split, std::span<const std::int64_t> labels,
                   evidence::OutputKind kind,
                   ConfidenceNumerics numerics = ConfidenceNumerics::exact);

}  // namespace vestige::metrics
