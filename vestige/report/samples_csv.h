// samples.csv: one line per row of a split, one column per score.
#pragma once

#include <string>
#include <vector>

#include "vestige/evidence/evidence.h"
#include "vestige/metrics/result.h"

namespace vestige::report {

/// Columns split, row, id, subject, label, then the scores. Forget rows come first, worst first: by
/// the mean rank over the methods' columns that know which way is bad. Undefined is an empty field.
std::string samples_csv(const evidence::Evidence& evidence,
                        const std::vector<metrics::SampleColumn>& columns);

}  // namespace vestige::report
