// Verdicts in words: which metrics are asked, what they are called, and the sentences.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/audit/comparisons.h"
#include "vestige/audit/verdicts.h"

namespace vestige::audit {

/// A metric that verdicts may rest on.
struct VerdictMetric {
  std::string_view id;
  std::string_view label;  ///< "IAM AUC"
  std::string_view under;  ///< what it says when the method lies on the original's side
  std::string_view over;   ///< ... and on the far side
  bool core = false;       ///< equivalence must hold on it
  /// Separates forget from retain rows, so that a model that lost its retain rows looks like one
  /// that remembers: not read as under-forgetting where utility on retain is lost.
  bool against_retain = false;
  /// Its interval leaves out a draw that the model itself goes through (attack seeds, calibration
  /// rows, reference sets): asked only where both sides have several models.
  bool over_models = false;
  /// Counts distance in either direction; the side comes from params.above.
  bool distance = false;
};

/// In the order in which sentences prefer them.
std::span<const VerdictMetric> verdict_metrics();

/// nullptr for accuracies on retain and test, which only count as utility.
const VerdictMetric* find_verdict_metric(std::string_view id);

/// What stands in the way of every test; empty if nothing does.
std::string obstacle_to_verdicts(const evidence::Evidence& evidence);

/// Fills in `sentence` from everything else.
void write_sentence(Verdict& verdict, const std::string& obstacle, const VerdictOptions& options);

/// What this evidence cannot show; `failed` are the labels of metrics that failed their controls.
std::string limits(const Grade& grade, const std::vector<std::string_view>& failed);

}  // namespace vestige::audit
