// What a model says of every row, as one number per row and signal: classifiers of the true class,
// language models of the sequence.
#pragma once

#include <string_view>
#include <vector>

#include "vestige/base/context.h"
#include "vestige/evidence/evidence.h"
#include "vestige/metrics/inputs/row_sets.h"

namespace vestige::metrics {

/// Log-odds beyond this are rounding of exported outputs more than knowledge: 8 nats are a
/// probability within 0.0004 of 0 or 1.
inline constexpr double kLargestLogOdds = 8;

/// One number per row of a split; all of a model in the order of signals_of().
struct RowSignal {
  std::string_view name;  ///< "probability", "right", "log_odds", "likelihood", "loss"
  std::vector<double> values;
};

/// The signals of a split: outputs and labels give the first three, tokens or losses of sequences
/// "likelihood", other losses "loss" (negative, so that more is surer); none without any. Where
/// people or subclasses were forgotten, "token_probability" and "token_log_odds" too: exp of the
/// last two, and its log-odds.
std::vector<RowSignal> row_signals(const Context& context, const evidence::Evidence& evidence,
                                   const evidence::Model& model, std::string_view split);

/// Whether a model says something of both forget and test rows.
bool can_speak(const evidence::Model& model);

/// Target and unseen rows of classifiers, else of sequences or losses; empty without both.
RowSets speaking_rows(const evidence::Evidence& evidence);

/// Mean over forget rows of how far apart two models' answers are: total variation distance of
/// outputs, or |difference| of mean log-probabilities of sequences or of losses; NaN without both.
double mean_distance(const evidence::Evidence& evidence, const evidence::Model& left,
                     const evidence::Model& right);

}  // namespace vestige::metrics
