// How rates and scores over drawn sets become rows.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "vestige/metrics/family.h"
#include "vestige/metrics/sde/activation_sets.h"
#include "vestige/metrics/sde/sde.h"

namespace vestige::metrics {

/// A row of the family with layer, size, subsets and draws in its parameters.
Row set_row(std::string_view id, const ActivationSets& sets, const Comparison& comparison,
            const Request& request);

/// Says which kernel was used, where it is not the paper's, and its bandwidth, where it has one.
void add_kernel(Row& row, double sigma, const Request& request);

/// The out-of-training rate with its spread over reference pairs, or the reason for none.
/// `failed` says that too few pairs met their precondition, a code with passed and pairs; none
/// where every pair counts.
void fill_rate(Row& row, const OverPairs& rate, Code failed);

/// The score with its spread over reference pairs or, with one pair, over sets.
void fill_f1(Row& row, const std::vector<PairVerdicts>& pairs, std::size_t members, Code failed,
             const Request& request);

/// Rows for a layer that cannot be measured; `rule` is that of sigma, empty without one.
void add_problem(std::span<const MetricInfo> ids, const ActivationSets& sets,
                 const Comparison& comparison, const Request& request, std::string_view rule,
                 Measurements& out);

}  // namespace vestige::metrics
