// The relative three-sample test on evidence: is a model's sample of answers on forget rows nearer
// to the retrained model's or to the original's?
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

Family kernel_test_family();

}  // namespace vestige::metrics
