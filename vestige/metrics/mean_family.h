// A metric group in a few lines, for the common shape: one number per example, and of each model
// the mean over the examples of a split with its interval. CONTRIBUTING.md shows one that uses it.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "vestige/metrics/family.h"

namespace vestige::metrics {

/// Sets value, n, terms and the t interval over examples (the model is held fixed) of a row that is
/// a mean of `terms`. Without an example, or where a term is NaN, the value is NaN.
void set_mean(Row& row, std::vector<double> terms);

/// One number per example from its probabilities (they sum to 1) and its label.
using ExampleTerm = double (*)(std::span<const double> probabilities, std::size_t label);

struct MeanMetric {
  MetricInfo info;
  std::string_view split;  ///< needs outputs and labels of this one: "forget"
};

/// What a group of means is; `Family` has the words of each field.
struct MeanGroup {
  std::string_view name;
  std::string_view summary;
  std::vector<MeanMetric> metrics;
  Range range = {};
  ExampleTerm term = nullptr;
};

/// Support by what evidence has, a row per metric and model, skipped rows with their reason.
Family mean_family(MeanGroup group);

}  // namespace vestige::metrics
