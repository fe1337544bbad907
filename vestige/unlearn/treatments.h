// Probes as treatments of a finished model: what may happen to it after unlearning, by accident or
// by design, applied alike to unlearned, retrained and original models (docs/lab/probes.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vestige/base/options.h"
#include "vestige/models/network.h"
#include "vestige/train/loop.h"

namespace vestige::unlearn {

/// A model under treatment and what the treatment may look at.
struct Patient {
  models::Network& network;  ///< one copy, changed in place
  const train::Samples& samples;
  const train::Rows& retain;
  const train::Rows& shown;  ///< forget rows that the probe trains on; empty if it shows none
  std::uint64_t seed = 0;    ///< the same for all models with one number, whatever their role
  train::Watch& watch;
};

/// Called with the network as it is after so many steps.
using KeepStage = std::function<void(std::int64_t steps)>;
using Treatment = std::function<void(Patient&, const KeepStage&)>;

/// A treatment with its options settled.
struct PreparedProbe {
  Treatment treat;
  std::vector<std::int64_t> stages;  ///< steps at which models are kept; empty: at the end alone
  std::int64_t shown = 0;            ///< forget rows that it trains on
  double images = 0;                 ///< rows seen by steps, for the time left
};

struct Probe {
  std::string id;
  std::string summary;  ///< one line
  std::string source;
  /// Reads (and so checks) every option; with an empty table it gives the defaults.
  std::function<PreparedProbe(Options&)> prepare;
};

const std::vector<Probe>& probe_table();

/// Weights to `bits` bits and back: symmetric, rounded to the nearest, one scale per output channel
/// (the largest weight is the largest number). Biases and norms stay.
void round_weights(models::Network& network, std::int64_t bits);

/// Sets this share of all weights to 0, those nearest to it; ties at the border go too.
void prune_weights(models::Network& network, double share);

/// Adds normal noise with `scale` times the standard deviation of the tensor's weights.
void shake_weights(models::Network& network, double scale, std::uint64_t seed);

}  // namespace vestige::unlearn
