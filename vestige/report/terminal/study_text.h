// What an experiment says, for people at a terminal, as wide as it is.
#pragma once

#include <string>

#include "vestige/report/terminal/terminal.h"
#include "vestige/result/study.h"

namespace vestige::report {

/// Main results, controls, comparison, noise, findings. Without `full`: metrics that show
/// forgetting, scores with an ideal and accuracies, each in its first setting; pairs of methods
/// only where they differ; controls only where they could be tested.
std::string study_text(const result::Study& study, bool full = false,
                       std::size_t width = kTerminalWidth);

/// Which runs of which methods failed, and why; empty if none did.
std::string failed_runs_text(const std::vector<result::FailedRuns>& runs,
                             std::size_t width = kTerminalWidth);

/// The findings alone, with the count of each outcome.
std::string findings_text(const std::vector<result::CheckResult>& findings,
                          std::size_t width = kTerminalWidth);

}  // namespace vestige::report
