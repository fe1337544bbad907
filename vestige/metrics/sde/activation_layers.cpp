// Layers by name.
#include "vestige/metrics/sde/activation_layers.h"

#include <algorithm>
#include <set>

#include "vestige/base/error.h"
#include "vestige/base/text.h"
#include "vestige/metrics/sde/set_options.h"

namespace vestige::metrics {
namespace {

std::vector<std::string> known_layers(const evidence::Evidence& evidence) {
  std::set<std::string> names;
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      for (const auto& [layer, splits] : model.activations) names.insert(layer);
      if (has_layer(model, std::string(kOutputsLayer))) names.emplace(kOutputsLayer);
    }
  }
  return {names.begin(), names.end()};
}

/// Those of them that some model has on forget, retain and test, without the outputs.
std::vector<std::string> named_layers(const evidence::Evidence& evidence) {
  std::vector<std::string> layers = known_layers(evidence);
  std::erase_if(layers, [&](const std::string& layer) {
    if (layer == kOutputsLayer) return true;
    for (const evidence::Group& group : evidence.groups) {
      for (const evidence::Model& model : group.models) {
        if (has_layer(model, layer)) return false;
      }
    }
    return true;
  });
  return layers;
}

}  // namespace

const evidence::Array* layer_array(const evidence::Model& model, const std::string& layer,
                                   const std::string& split) {
  const auto at = model.activations.find(layer);
  const auto* by_split = at != model.activations.end() ? &at->second : nullptr;
  if (by_split == nullptr && layer == kOutputsLayer) by_split = &model.outputs;
  if (by_split == nullptr) return nullptr;
  const auto found = by_split->find(split);
  return found == by_split->end() ? nullptr : &found->second;
}

bool never_saw_forget(const evidence::Model& model) {
  return model.role == "retrained" ||
         (model.role == "checkpoint" && model.method.starts_with("retrained."));
}

bool has_layer(const evidence::Model& model, const std::string& layer) {
  return std::all_of(kSetSplits.begin(), kSetSplits.end(), [&](const char* split) {
    return layer_array(model, layer, split) != nullptr;
  });
}

std::vector<std::string> layers_to_measure(const evidence::Evidence& evidence,
                                           const Request& request) {
  const std::vector<std::string> known = known_layers(evidence);
  const std::string asked = set_options(request).layer;
  if (asked == "all") return known;
  if (asked.empty()) {
    const bool penultimate = std::find(known.begin(), known.end(), "penultimate") != known.end();
    if (penultimate) return {"penultimate"};
    const std::vector<std::string> named = named_layers(evidence);
    return {named.size() == 1 ? named.front() : std::string(kOutputsLayer)};
  }
  std::vector<std::string> layers;
  for (std::size_t start = 0; start <= asked.size();) {
    const std::size_t comma = std::min(asked.find(',', start), asked.size());
    const std::string layer = asked.substr(start, comma - start);
    require(std::find(known.begin(), known.end(), layer) != known.end(),
            "sde.layer: no model of this evidence has a layer \"{}\"; the nearest is \"{}\"", layer,
            nearest(layer, known));
    layers.push_back(layer);
    start = comma + 1;
  }
  return layers;
}

Support activation_support(const evidence::Evidence& evidence) {
  constexpr std::string_view files = "original/0/activations/penultimate/{forget,retain,test}.npy";
  const std::vector<std::string> named = named_layers(evidence);
  const bool penultimate = std::find(named.begin(), named.end(), "penultimate") != named.end();
  if (penultimate || named.size() == 1) return {true};
  if (named.size() > 1) return {true, reason(Code::several_layers, named, "--sde-layer NAME")};
  for (const evidence::Group& group : evidence.groups) {
    for (const evidence::Model& model : group.models) {
      if (has_layer(model, std::string(kOutputsLayer))) {
        return {true, reason(Code::outputs_instead_of_activations, files)};
      }
    }
  }
  return {false, reason(Code::needs_activations,
                        std::vector<std::string>(kSetSplits.begin(), kSetSplits.end()), files)};
}

}  // namespace vestige::metrics
