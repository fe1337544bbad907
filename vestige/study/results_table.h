// The main results: every method's mean over the replicates of a variant, metric by metric.
#pragma once

#include <string>
#include <vector>

#include "vestige/result/study.h"
#include "vestige/study/measure.h"

namespace vestige::study {

using result::MethodResult;

/// Means over runs and attack seeds within a block, then over blocks. Undefined values are left
/// out.
std::vector<MethodResult> results_table(const std::vector<StudyRow>& rows,
                                        const std::vector<std::string>& audits = {},
                                        bool every_setting = true);

}  // namespace vestige::study
