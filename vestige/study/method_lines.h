// One line per method: the mean over its models with an interval over models.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "vestige/study/rows.h"

namespace vestige::study {

/// Rows with those of two or more single models of a group replaced by one of the group, where the
/// first of them stood. The value is the mean over the models that have one, the interval Student's
/// t over models within what the metric can be, `n` their number; unreliable if one of them is. All
/// other rows stay as they are.
std::vector<StudyRow> method_lines(const std::vector<StudyRow>& rows);

/// Only the rows that method_lines makes.
std::vector<StudyRow> lines_over_models(const std::vector<StudyRow>& rows);

/// How much more than the reference such controls of a variant have of the utility on a split
/// ("test"): the value of their line minus its reference. Of several splits the mean, without an
/// interval.
metrics::Estimate utility_difference(const std::vector<StudyRow>& rows, std::string_view variant,
                                     metrics::Control control, std::string_view split);

}  // namespace vestige::study
