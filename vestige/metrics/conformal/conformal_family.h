// The conformal family: is the true label of a forget row still in the model's prediction set, and
// can the row still pass for a member?
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

/// Rows of the asked alpha come first, then the same at 0.05, 0.10, 0.15 and 0.20; a row of the
/// other rule follows where its value differs in the printed digits. When whole classes or
/// subclasses were forgotten (retain holds no row of them), forget and test rows of those use q
/// from their own calibration rows, and the ids test_forget and test_retain stand in for test.
/// Calibration rows that are also forget, retain or test rows are an InputError.
Family conformal_family();

/// Its ids, and what evidence it needs.
std::vector<MetricInfo> conformal_metrics();
Support conformal_support(const evidence::Evidence& evidence);
Reason conformal_too_large(const evidence::Evidence& evidence, const Json& options,
                           const Context& context);
std::vector<SeriesInfo> conformal_series();
Reason conformal_impossible(const Planned& planned);

}  // namespace vestige::metrics
