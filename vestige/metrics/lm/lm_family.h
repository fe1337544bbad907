// Language models from token log-probabilities or losses of sequences, and any other model from one
// loss per row: are the forget rows still known?
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

/// "lm": AUCs of every score (retain above forget, forget above test), means of LiRA, RMIA and IAM
/// (the first two scaled to [0, 1], as the bypass check does), perplexity, PrivLeak, distances to
/// retrained, memorization, truth ratio and model utility, and Spearman's correlation of scores and
/// known membership over graded models and checkpoints.
Family lm_family();

/// "losses": what of it needs one loss per row and no more; options are those of "lm".
Family losses_family();

}  // namespace vestige::metrics
