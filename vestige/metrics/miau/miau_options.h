// The options of MIAU.
#pragma once

#include "vestige/metrics/miau/miau_attacks.h"
#include "vestige/metrics/options.h"

namespace vestige::metrics {

/// What --miau-seeds and so on may say; weights stand for MiauSettings::score.weights.
struct MiauChoices {
  MiauSettings settings;
  std::vector<double> weights = {};
};

const OptionTable<MiauChoices>& miau_options();

/// In force for a request; InputError for values that make no sense.
MiauSettings miau_settings(const Request& request);

}  // namespace vestige::metrics
