// Verdicts in words: which metrics are asked, what they are called, and the sentences.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/audit/comparisons.h"
#include "vestige/audit/ruin.h"
#include "vestige/audit/verdicts.h"
#include "vestige/metrics/family.h"

namespace vestige::audit {

/// The metrics that speak in verdicts, in the order in which sentences prefer them.
std::vector<const metrics::MetricInfo*> speaking_metrics();
/// The accuracies that only count as utility.
std::vector<const metrics::MetricInfo*> utility_metrics();
/// The split that a metric is the accuracy on; empty for all others.
std::string_view utility_split(std::string_view metric);

/// What stands in the way of every test; empty if nothing does.
std::string obstacle_to_verdicts(const evidence::Evidence& evidence);

/// How far answers on forget rows moved from the original's, on average.
struct Moved {
  double method = metrics::kUndefined;
  double retrained = metrics::kUndefined;
};

/// Fills in `word`, `reason` and `sentence` from everything else.
void write_sentence(Verdict& verdict, const std::string& obstacle, const RuinFound& ruin,
                    const std::optional<Moved>& moved, const VerdictOptions& options);

/// What this evidence cannot show; `failed` are the labels of metrics that failed their controls.
std::string limits(const Grade& grade, Form form, const std::vector<std::string_view>& failed);

}  // namespace vestige::audit
