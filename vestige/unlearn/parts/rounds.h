// For methods that alternate between sets of rows: one epoch at a time of a longer schedule.
#pragma once

#include <string>

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

/// Rounds of `phase`: its epochs, rounded up.
std::int64_t rounds(const train::Phase& phase);

/// Epoch `round` of `phase` as a phase of its own, at the rate that the schedule gives at its
/// beginning, with an order named `purpose` and the round. The optimiser starts anew each time.
train::Phase round_of(const train::Phase& phase, std::int64_t round, const std::string& purpose);

}  // namespace vestige::unlearn
