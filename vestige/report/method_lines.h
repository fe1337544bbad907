// One line per method: the mean over its models with an interval over models.
#pragma once

#include <vector>

#include "vestige/study/rows.h"

namespace vestige::report {

/// Rows with those of two or more single models of a group replaced by one of the group, where the
/// first of them stood. The value is the mean over the models that have one, the interval Student's
/// t over models within what the metric can be, `n` their number; unreliable if one of them is. All
/// other rows stay as they are.
std::vector<study::StudyRow> method_lines(const std::vector<study::StudyRow>& rows);

/// Only the rows that method_lines makes.
std::vector<study::StudyRow> lines_over_models(const std::vector<study::StudyRow>& rows);

}  // namespace vestige::report
