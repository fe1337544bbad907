// The rows, columns and series of one model's IAM scores.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "vestige/metrics/family.h"
#include "vestige/metrics/inputs/iam_evidence.h"

namespace vestige::metrics {

/// Scores of retrained models, which every other model is read against.
using ReferenceScores = std::map<std::pair<const evidence::Model*, IamMode>, std::vector<double>>;

/// Both modes; a mode that cannot be measured gives one row with the reason. What
/// `references` lacks is scored on the spot.
void add_iam_rows(const Comparison& comparison, const Request& request, const IamSettings& settings,
                  const IamModels& models, const ReferenceScores& references, Measurements& out);

}  // namespace vestige::metrics
