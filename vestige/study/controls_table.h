// What every metric says about models whose answer is known, over all replicates of a variant.
#pragma once

#include <cstdint>
#include <vector>

#include "vestige/study/measure.h"

namespace vestige::study {

using result::ControlRow;
using result::ControlVerdict;
using result::GradeStep;

/// One row for every measure and variant that has a control, that an audit marked, or that is
/// worked out from other metrics, whose failures it inherits (inherit_controls.h). Large is bad for
/// direction lower, small for higher; for match, the side of retrained on which the originals' mean
/// lies is bad (so power is at least about one half there). Failed: called unreliable by more than
/// half of the audits; or, over three replicates and more, the 95 % t interval of the mean
/// difference between original and retrained reaches 0; or a step of the graded retrains goes the
/// wrong way (p < 0.05). Not testable: an original or a retrained model is missing, or the metric
/// is not asked to tell original from retrained.
std::vector<ControlRow> controls_table(const std::vector<StudyRow>& rows, std::uint64_t seed = 1);

/// Which metrics failed their own controls, and which need care.
result::Reasons failed_controls(const std::vector<ControlRow>& table);

}  // namespace vestige::study
