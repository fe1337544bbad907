// Presets that were tuned here and not taken from a paper: `fashion` is for small_cnn on 10,000
// Fashion-MNIST images with 1,000 forgotten (recipes/fashion-methods.toml, docs/methods/README.md).
#pragma once

#include <string>
#include <vector>

#include "vestige/unlearn/method.h"

namespace vestige::unlearn {

struct TunedPreset {
  std::string method;
  MethodPreset preset;
};

const std::vector<TunedPreset>& tuned_presets();

}  // namespace vestige::unlearn
