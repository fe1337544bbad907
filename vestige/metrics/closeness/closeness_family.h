// Closeness on evidence: answers of a model beside those of retrained models on the same rows.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family closeness_family();

}  // namespace vestige::metrics
