// Multiple-choice accuracy of language models (WMDP, MMLU): the metric group `multiple_choice`.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

/// Accuracy and probability of the right option for every set of questions, with the goal that
/// evidence.toml declares. No verdict rests on it.
Family multiple_choice_family();

}  // namespace vestige::metrics
