// Which metrics are asked in verdicts, and the word that follows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vestige/audit/comparisons.h"
#include "vestige/audit/verdicts/ruin.h"
#include "vestige/audit/verdicts/verdicts.h"
#include "vestige/metrics/family.h"

namespace vestige::audit {

/// The metrics that speak in verdicts, in the order in which sentences prefer them.
std::vector<const metrics::MetricInfo*> speaking_metrics();
/// The accuracies that only count as utility.
std::vector<const metrics::MetricInfo*> utility_metrics();
/// The split that a metric is the accuracy on; empty for all others.
std::string_view utility_split(std::string_view metric);

/// The word, from everything else.
Word verdict_word(const Verdict& verdict, Ruin ruin = Ruin::none);

/// What this evidence cannot show; `failed` are the names of metrics that failed their controls.
result::Reasons limits(const Grade& grade, Form form, const std::vector<std::string_view>& failed);

}  // namespace vestige::audit
