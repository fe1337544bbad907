// What metrics add to a verdict besides its word: "returns under int4".
#pragma once

#include <string>
#include <vector>

#include "vestige/audit/verdicts/verdicts.h"
#include "vestige/evidence/evidence.h"
#include "vestige/metrics/result.h"

namespace vestige::audit {

/// Of the rows of one method, those that are shown to lie above the smallest effect (Holm over the
/// rows of a metric, 5 %); largest value first.
std::vector<VerdictAddition> additions(const std::vector<metrics::Row>& rows,
                                       const evidence::Group& group, const VerdictOptions& options);

/// Over the splits of an experiment: those that more than half of the splits have, with the mean of
/// their values; without an interval.
std::vector<VerdictAddition> pooled_additions(const std::vector<const Verdict*>& splits);

}  // namespace vestige::audit
