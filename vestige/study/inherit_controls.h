// Which measures fail because others did: settings without controls of their own, and metrics that
// are worked out from others.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "vestige/study/controls_table.h"

namespace vestige::study {

/// Whether the metric is worked out from others (MetricInfo::parts).
bool is_derived(const std::string& metric);

/// Fails what cannot be tested by itself: a setting of a metric that failed in every setting that
/// could be tested (the same variant and audit), as where the retrained control exists at half the
/// models only; and a metric one of whose parts failed.
void inherit_failures(std::vector<ControlRow>& table);

/// Variants in which the controls of a measure failed, with the reason.
using FailedVariants = std::map<std::string, result::Reason>;
std::map<Measure, FailedVariants> failed_measures(const std::vector<ControlRow>& table);

/// Marks rows of methods as unreliable where the experiment as a whole failed their metric, so that
/// every view of the rows shows it.
void mark_failed(std::vector<StudyRow>& rows, const std::vector<ControlRow>& table);

}  // namespace vestige::study
