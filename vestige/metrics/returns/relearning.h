// Relearning as evidence has it: one probe at several numbers of steps, and what is read off the
// rows that it shows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "vestige/metrics/returns/probe_rows.h"
#include "vestige/metrics/returns/returns.h"

namespace vestige::metrics {

/// A point of a relearning: the probe's name at so many steps.
struct RelearnStage {
  double steps = 0;
  std::string probe;
};
/// Probe without steps ("relearn") -> its points, ascending.
using RelearnCurves = std::map<std::string, std::vector<RelearnStage>>;
RelearnCurves relearn_curves(const evidence::Evidence& evidence);

/// What is asked of a row at every point, the first of these that all models have: whether the
/// answer is right (outputs and labels), the share of tokens that are the most probable one
/// (tokens/forget.rank), minus the loss (tokens or losses).
enum class RelearnAnswer { accuracy, token_accuracy, loss };
/// "accuracy", "token accuracy", "loss"
std::string name(RelearnAnswer answer);

/// One relearning of a method beside retrained models, on the rows that the probe shows (all forget
/// rows where none is marked).
struct RelearnedRows {
  RelearnAnswer answer = RelearnAnswer::accuracy;
  Relearning curves;  ///< no rows where a model lacks a point or an answer
  bool empty() const { return curves.original.size() < 2; }
};
RelearnedRows relearned_rows(const Context& context, const evidence::Evidence& evidence,
                             const Models& method, const Models& retrained, const Models& originals,
                             const std::vector<RelearnStage>& stages);

}  // namespace vestige::metrics
