// The ids of language models and of models that show losses only: names, phrases, directions, words
// in verdicts and what values can be.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "vestige/metrics/family.h"

namespace vestige::metrics {

/// Ids of the family "lm".
const std::vector<MetricInfo>& lm_metrics();
/// Ids of the family "losses": those that need one loss per row and no more.
const std::vector<MetricInfo>& losses_metrics();

/// What the values of these ids can be.
std::vector<std::pair<std::string_view, Range>> lm_ranges(const std::vector<MetricInfo>& metrics);

}  // namespace vestige::metrics
