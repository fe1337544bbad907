// Which layers of which models sde, mmd and wasserstein are measured on.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/metrics/family.h"

namespace vestige::metrics {

/// The splits that a layer must have.
inline constexpr std::array<const char*, 3> kSetSplits = {"forget", "retain", "test"};
/// The outputs as they stand are a layer of this name.
inline constexpr std::string_view kOutputsLayer = "logits";

/// The model's layer on a split; nullptr where it has none.
const evidence::Array* layer_array(const evidence::Model& model, const std::string& layer,
                                   const std::string& split);

/// The layers to measure, from "sde.layer": a name, several separated by commas, or "all"; by
/// default "penultimate" if any model has it, else the only named layer, else "logits" (the outputs
/// as they stand). InputError naming the nearest layer for a name that no model has.
std::vector<std::string> layers_to_measure(const evidence::Evidence& evidence,
                                           const Request& request);

/// A retrained model, or one on its way (checkpoint/retrained.0.8): it never saw the forget set.
bool never_saw_forget(const evidence::Model& model);

/// Whether the model has the layer on forget, retain and test.
bool has_layer(const evidence::Model& model, const std::string& layer);

/// Supported where any model has a layer; else what to add. A note where several layers would have
/// to be chosen from.
Support activation_support(const evidence::Evidence& evidence);

}  // namespace vestige::metrics
