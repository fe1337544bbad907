// Representation checks on evidence, layer by layer: activations of forget rows beside those of the
// original and of retrained models.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family representation_family();

}  // namespace vestige::metrics
