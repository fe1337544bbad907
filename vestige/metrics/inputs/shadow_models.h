// Which shadow models of the evidence an attack works with, and what pairs of them say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "vestige/base/matrix.h"
#include "vestige/evidence/evidence.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/scores/unleak.h"

namespace vestige::metrics {

/// Shadow models that never saw the queried rows and have outputs for all splits, in name order.
/// The other halves of shadow pairs ("0.unlearned", "0.original") are left out.
Models out_models(const evidence::Evidence& evidence, const std::vector<std::string_view>& splits);

/// `count` of the models, drawn by the seed, in their order; 0 or not fewer than there are: all.
/// The IAM paper (5.1) averages over random draws of shadow models: audits with other seeds.
Models drawn_models(const Models& all, std::size_t count, std::uint64_t seed);

/// Models as rows of one matrix.
Matrix stacked_models(const std::vector<std::vector<double>>& models);

/// Posteriors of every row of the splits, one after the other.
Matrix posteriors(const evidence::Evidence& evidence, const evidence::Model& model,
                  const std::vector<std::string_view>& splits);

/// RMIA's Taylor signal of every row of the splits, read in blocks.
std::vector<double> taylor_signals(const Context& context, const evidence::Evidence& evidence,
                                   const evidence::Model& model,
                                   const std::vector<std::string_view>& splits,
                                   double temperature = 2);

/// UnLeak's score of every row of the splits, read in blocks.
std::vector<double> unleak_scores(const UnleakAttack& attack, const evidence::Evidence& evidence,
                                  const evidence::Model& original, const evidence::Model& unlearned,
                                  const std::vector<std::string_view>& splits);

/// Before and after unlearning, of those shadow models that have both on shadow_forget and
/// shadow_retain: X and X.unlearned, or X.original and X. Every pair of the evidence where
/// `shadows` is empty; else those of its members.
std::vector<UnleakPair> shadow_pairs(const evidence::Evidence& evidence, const Models& shadows);

}  // namespace vestige::metrics
