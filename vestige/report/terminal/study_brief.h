// What an experiment says on one screen: headline numbers of every method, failed controls, noise,
// findings. study_text has everything.
#pragma once

#include <string>

#include "vestige/report/terminal/terminal.h"
#include "vestige/result/study.h"

namespace vestige::report {

/// For each variant a table of methods (lines) and headline metrics (columns), as many as fit the
/// terminal; "?" marks metrics that failed their controls. Then the runs that failed.
std::string study_brief(const result::Study& study, std::size_t width = kTerminalWidth);

}  // namespace vestige::report
