// Rates of training that were measured on a GPU (docs/lab/gpu.md), for estimates on machines that
// have none, such as the entrance of a cluster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vestige/base/json.h"
#include "vestige/experiment/estimates/timing.h"
#include "vestige/experiment/experiment.h"

namespace vestige::experiment {

/// The kind of device that was measured.
inline constexpr const char* kMeasuredDevice = "H200";

/// Images of training per second and device, batches of 128; NaN where the architecture or its
/// width was not measured. `shape` is {channels, height, width}: time goes with the number of
/// pixels.
double measured_rate(const Json& model, const std::vector<std::int64_t>& shape,
                     const std::string& precision, std::int64_t copies);

/// The same three as in probe.h, from measured rates; InputError where there is none. A method is
/// taken for as many images of training as a run of it on a few rows and a small network counts; a
/// look at outputs for a third of a training step.
Rate rated_training(const Variant& variant, const train::ModelPlan& model);
Rate rated_method(const Variant& variant, const unlearn::UnlearnPlan& method);
Rate rated_collecting(const Variant& variant);

}  // namespace vestige::experiment
