// How good the samples of a generative model are: the family `generation`.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family generation_family();

}  // namespace vestige::metrics
