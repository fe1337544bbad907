// What a probe does to a network.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "vestige/language/loop.h"

namespace vestige::language {

/// A model under treatment and what the treatment may look at.
struct Patient {
  Network& network;  ///< changed in place
  const std::vector<Sequence>& retain;
  const std::vector<Sequence>& shown;  ///< forget sequences that the probe trains on
  std::uint64_t seed = 0;  ///< the same for all models with one number, whatever their role
  Watch& watch;
};

/// Treats; `keep` is called with the network as it is after each number of steps of probe.stages.
Cost treat(const ProbeSettings& probe, Patient& patient,
           const std::function<void(std::int64_t steps)>& keep);

}  // namespace vestige::language
