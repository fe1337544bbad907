// ScoreUI (IAM paper, 5.2): shadow models that go on training on the original's rows, kept on the
// way. How well do membership scores follow the share of the way?
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

std::span<const MetricInfo> score_ui_metrics();
Support score_ui_support(const evidence::Evidence& evidence);

/// Unit::whole. Checkpoints with a declared membership are scored on forget and retain rows alike.
/// Those of one name are one series: Spearman's correlation within each, then the mean. The shadow
/// model of the series' own name is left out of the scores where there is another. Options: those
/// of IAM.
Measurements measure_score_ui(const Comparison& comparison, const Request& request, Progress&);

}  // namespace vestige::metrics
