// The parts of a language model's report; each adds its rows.
#pragma once

#include "vestige/metrics/lm/lm_rows.h"

namespace vestige::metrics {

/// AUCs of every score (retain above forget, forget above test), means of LiRA, RMIA and IAM, the
/// bag of words, and one column of samples.csv per score.
void add_membership(const LmSettings& settings, LmRows& rows);

/// Spearman's correlation of every score with known membership: over graded models, and over
/// checkpoints with their step.
void add_graded(const LmSettings& settings, LmRows& rows);

/// Perplexity and probability of each split.
void add_likelihoods(LmRows& rows);

/// Kolmogorov-Smirnov of the losses of forget rows against a retrained model.
void add_loss_distance(LmRows& rows);

/// PrivLeak.
void add_privacy_leakage(const LmSettings& settings, LmRows& rows);

/// Exact memorization, extraction strength and ROUGE of generations.
void add_memorization(const LmSettings& settings, LmRows& rows);

/// Truth ratio and forget quality of the forget rows, model utility over the utility splits.
void add_answers(LmRows& rows);

/// A Kolmogorov-Smirnov statistic with p and log10 p: rows FAMILY.WHAT, .p and .log10_p.
void push_distance(std::string_view what, std::span<const double> ours,
                   std::span<const double> theirs, const evidence::Model& retrained, LmRows& rows);

}  // namespace vestige::metrics
