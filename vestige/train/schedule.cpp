// Learning-rate schedules as functions of the fractional epoch.
#include "vestige/train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace vestige::train {
namespace {

double half_cosine(double fraction) { return 0.5 * (1 + std::cos(std::numbers::pi * fraction)); }

}  // namespace

double rate_factor(const ScheduleSettings& schedule, double epoch, double epochs) {
  if (epoch < schedule.warmup_epochs) return epoch / schedule.warmup_epochs;
  const double length = std::max(epochs - schedule.warmup_epochs, 1e-12);
  const double done = std::clamp((epoch - schedule.warmup_epochs) / length, 0.0, 1.0);
  if (schedule.kind == "cosine") return half_cosine(done);
  if (schedule.kind == "linear") return 1 - done;
  if (schedule.kind == "multi_step") {
    double factor = 1;
    for (const double milestone : schedule.milestones) {
      if (epoch + schedule.first_epoch >= milestone) factor *= schedule.gamma;
    }
    return factor;
  }
  if (schedule.kind == "one_cycle") {
    // Smith and Topin's 1cycle with PyTorch's defaults: from 1/25 up during 30 %, down to 4e-6.
    constexpr double kRise = 0.3, kStart = 1.0 / 25, kEnd = 1.0 / 25 / 1e4;
    if (done < kRise) return kStart + (1 - kStart) * (1 - half_cosine(done / kRise));
    return kEnd + (1 - kEnd) * half_cosine((done - kRise) / (1 - kRise));
  }
  return 1;
}

}  // namespace vestige::train
