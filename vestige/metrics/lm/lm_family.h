// Language models from token log-probabilities: does the model still know the forget sequences?
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

/// AUC of retain (members) against forget for every score, mean scores of LiRA, RMIA and IAM (the
/// first two scaled to [0, 1], as the bypass check does), and, with the first graded model,
/// Spearman's correlation of scores and known membership.
Family lm_family();

}  // namespace vestige::metrics
