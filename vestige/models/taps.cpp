// Taps of a network that is built to be asked.
#include "vestige/models/taps.h"

#include "vestige/models/network.h"

namespace vestige::models {

std::vector<std::string> taps_of(const std::string& architecture) {
  Options options(Json{{"name", architecture}}, "--taps");
  // Names do not depend on the images; these are CIFAR's.
  return make(options, {{3, 32, 32}, 10})->tap_names();
}

}  // namespace vestige::models
