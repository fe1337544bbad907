// The learning rate over time.
#pragma once

#include "vestige/train/settings.h"

namespace vestige::train {

/// Factor on the highest rate at `epoch` (fractional, at the step's beginning) of `epochs`.
double rate_factor(const ScheduleSettings& schedule, double epoch, double epochs);

}  // namespace vestige::train
