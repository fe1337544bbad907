// Do two parts of an experiment put the methods in the same order?
#pragma once

#include <cstdint>
#include <vector>

#include "vestige/study/paper_checks.h"

namespace vestige::study {

/// A check of kind ranks_agree: Kendall's tau-b of the methods' mean badness, with a percentile
/// interval from resampling the blocks of each part (three and more each). With fewer blocks: held
/// if tau is at least `least` and above chance (p < 0.05), else inconclusive unless exact.
CheckResult evaluate_agreement(const Check& check, const std::vector<StudyRow>& rows,
                               std::uint64_t seed);

}  // namespace vestige::study
