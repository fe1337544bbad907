// Which rows a model predicts right, and the accuracies of models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vestige/metrics/estimate.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/inputs/kept_numbers.h"

namespace vestige::metrics {

/// The class of each row's largest output, the lowest of equal ones, as numpy's and torch's argmax;
/// kept while an audit runs.
Numbers answered_classes(const Context& context, const evidence::Array& outputs);

/// 1 for each row whose largest output is the label's, else 0. A tie for the largest counts for the
/// lowest class, as numpy's and torch's argmax do. Throws if rows and labels differ in number.
std::vector<double> correct_rows(const Context& context, const evidence::Array& outputs,
                                 std::span<const std::int64_t> labels);

/// Accuracy of each model on a split: from outputs, else from accuracy.json; empty if some model
/// has neither.
std::vector<double> accuracies(const Context& context, const evidence::Evidence& evidence,
                               const Models& models, std::string_view split);

}  // namespace vestige::metrics
