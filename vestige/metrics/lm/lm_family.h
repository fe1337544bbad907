// Language models from token log-probabilities: does the model still know the forget sequences?
#pragma once

#include <span>

#include "vestige/metrics/family.h"

namespace vestige::metrics {

std::span<const MetricInfo> lm_metrics();

/// Needs token log-probabilities of forget and retain; the sentence says which scores need more.
Support lm_support(const evidence::Evidence& evidence);

/// Unit::model. AUC of retain (members) against forget for every score, mean scores of LiRA, RMIA
/// and IAM (the first two scaled to [0, 1], as the bypass check does), and, with the first graded
/// model, Spearman's correlation of scores and known membership. Options: "lm.k", "lm.levels",
/// "lm.direction", "lm.epsilon1", "lm.epsilon2", "iam.shadows".
Measurements measure_lm(const Comparison& comparison, const Request& request, Progress& progress);

}  // namespace vestige::metrics
