// Conformance runners of statistics and membership attacks.
#pragma once

#include <vector>

#include "vestige/audit/conformance/conformance.h"

namespace vestige::audit {

/// simple_mia, roc_auc, spearman, paired_t, mannwhitney, miau, zrf, mia_classifiers.
std::vector<ConformanceRunner> attack_runners();

}  // namespace vestige::audit
