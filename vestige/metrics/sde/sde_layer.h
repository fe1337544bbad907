// One layer of one model as SDE sees it: the sets that are drawn for it, and H of each of them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "vestige/metrics/family.h"
#include "vestige/metrics/sde/activation_sets.h"
#include "vestige/metrics/sde/sde.h"

namespace vestige::metrics {

class PermutationStore;

/// Everything on one layer that several rows draw on.
struct SdeLayer {
  PermutationStore* store = nullptr;  ///< shared by all models
  ActivationSets sets;
  double sigma = 0;
  std::string rule;
  bool constant = false;
  std::vector<Dependence> targets;
  std::vector<Dependence> ins;
  std::vector<Dependence> outs;
  /// Of the F1 control.
  ControlSets control;
  std::vector<Dependence> control_ins;
  std::vector<Dependence> control_outs;
  std::vector<Dependence> members;
  std::vector<Dependence> others;
};

/// What is drawn and known before anything is measured; sets.problem says why nothing can be.
SdeLayer open_layer(const Comparison& comparison, const Request& request, const std::string& name,
                    PermutationStore& store);

/// H of all sets of layers that have no problem; those with the same sets are measured together.
void measure_layers(std::span<SdeLayer> layers, const Request& request);

/// Whether the sets of a layer have a size at which models are measured faster together.
bool faster_together(const evidence::Model& model, const std::string& layer,
                     const Request& request);

/// Bytes that a layer holds while it is measured: activations, and the kernel matrix of the largest
/// split.
std::size_t bytes_held(const evidence::Model& model, const std::string& layer);

}  // namespace vestige::metrics
