// The conformal family: is the true label of a forget row still in the model's prediction set, and
// can the row still pass for a member?
#pragma once

#include <span>

#include "vestige/metrics/family.h"

namespace vestige::metrics {

std::span<const MetricInfo> conformal_metrics();

/// Needs outputs and labels of forget rows, and of calibration or test rows; the sentence warns of
/// fewer than 1000 calibration rows.
Support conformal_support(const evidence::Evidence& evidence);

/// One model. Options: "conformal.alpha" (0.05), "conformal.score" (scp; lac, aps, aps_randomised,
/// entmax), "conformal.rule" (finite_sample; paper), "conformal.gamma" (1.5, entmax only). Rows of
/// that alpha come first, then CR and MIACR at 0.05, 0.10, 0.15 and 0.20; a row of the other rule
/// follows where its value differs in the printed digits. When whole classes were forgotten, forget
/// and test rows of those classes use q from their own calibration rows, and the ids test_forget
/// and test_retain stand in for test. InputError for an alpha outside (0, 1) and for calibration
/// rows that are also forget, retain or test rows.
Measurements measure_conformal(const Comparison& comparison, const Request& request,
                               Progress& progress);

}  // namespace vestige::metrics
