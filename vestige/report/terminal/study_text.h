// What an experiment says, for people at a terminal: at most 100 columns wide.
#pragma once

#include <string>

#include "vestige/result/study.h"

namespace vestige::report {

/// Main results, controls, comparison, noise, findings. Without `full`: metrics that show
/// forgetting, scores with an ideal and accuracies, each in its first setting; pairs of methods
/// only where they differ; controls only where they could be tested.
std::string study_text(const result::Study& study, bool full = false);

/// Which runs of which methods failed, and why; empty if none did.
std::string failed_runs_text(const std::vector<result::FailedRuns>& runs);

/// The findings alone, with the count of each outcome.
std::string findings_text(const std::vector<result::CheckResult>& findings);

}  // namespace vestige::report
