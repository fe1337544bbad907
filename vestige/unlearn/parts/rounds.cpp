// Cutting a phase into epochs.
#include "vestige/unlearn/parts/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "vestige/train/schedule.h"

namespace vestige::unlearn {

std::int64_t rounds(const train::Phase& phase) { return std::llround(std::ceil(phase.epochs)); }

train::Phase round_of(const train::Phase& phase, std::int64_t round, const std::string& purpose) {
  const auto start = static_cast<double>(round);
  train::Phase result = phase;
  result.epochs = std::min(1.0, phase.epochs - start);
  result.optimizer.rate *= train::rate_factor(phase.schedule, start, phase.epochs);
  result.schedule = {};
  result.purpose = fmt::format("{}/{}", purpose, round);
  return result;
}

}  // namespace vestige::unlearn
