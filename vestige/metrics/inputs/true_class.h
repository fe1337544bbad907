// What models say of the true class of each row: the signals that shadow-model attacks work on.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vestige/evidence/evidence.h"
#include "vestige/metrics/inputs/kept_numbers.h"

namespace vestige::metrics {

/// Per row; splits follow each other.
struct TrueClass {
  std::vector<double> probability;
  std::vector<double> log_probability;
  std::vector<double> scaled;  ///< ln(p / (1 - p)), from log-probabilities, so that p = 1 - 1e-20
                               ///< still has its own value; infinite where no other class can be
  std::vector<double> output;  ///< the exported output of the true class as it stands
};

/// What a row of logits or log-probabilities says of its label.
struct RowOdds {
  double log_probability = 0;  ///< x_y - ln(sum of e^x)
  double log_odds = 0;         ///< x_y - ln(sum over the other classes of e^x)
};

/// One exponential per class for both. `logits` is written to, and left as it was.
RowOdds row_odds(std::span<double> logits, std::size_t label);

/// Log-probabilities, log-odds and outputs of all rows, one vector after the other: the numbers
/// behind true_class_numbers, as they are kept while an audit runs.
Numbers kept_true_class(const Context& context, const evidence::Array& outputs,
                        evidence::OutputKind kind, std::span<const std::int64_t> labels);

/// Of all rows of one array; kept while an audit runs. Labels must be classes, one per row.
TrueClass true_class_numbers(const Context& context, const evidence::Array& outputs,
                             evidence::OutputKind kind, std::span<const std::int64_t> labels);

/// Throws if the model lacks a split or a split has no labels.
TrueClass true_class(const Context& context, const evidence::Evidence& evidence,
                     const evidence::Model& model, const std::vector<std::string_view>& splits);

bool covers(const evidence::Model& model, const std::vector<std::string_view>& splits);

/// The splits that are queried: forget first, then retain.
const std::vector<std::string_view>& query_splits();

}  // namespace vestige::metrics
