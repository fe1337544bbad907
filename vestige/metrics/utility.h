// Utility: what the model still does well, and how far it is from the retrained one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "vestige/metrics/family.h"
#include "vestige/metrics/result.h"

namespace vestige::metrics {

/// 1 for each row whose largest output is the label's, else 0. A tie for the largest counts for the
/// lowest class, as numpy's and torch's argmax do. Throws if rows and labels differ in number.
std::vector<double> correct_rows(const evidence::Array& outputs,
                                 std::span<const std::int64_t> labels);

/// Accuracy of each model on a split: from outputs, else from accuracy.json; empty if some model
/// has neither.
std::vector<double> accuracies(const evidence::Evidence& evidence, const Models& models,
                               std::string_view split);

/// Product of 1 - |accuracy - reference| over splits ("tug of war", Zhao et al. 2024).
double tug_of_war(std::span<const double> gaps);

/// Adaptive unlearning score, random-forgetting form:
/// (1 - (test_original - test)) / (1 + |forget - test|).
double adaptive_unlearning_score(double test_original, double test, double forget);

std::span<const MetricInfo> utility_metrics();
Support utility_support(const evidence::Evidence& evidence);
Measurements measure_utility(const Comparison& comparison, const Request& request,
                             Progress& progress);

}  // namespace vestige::metrics
