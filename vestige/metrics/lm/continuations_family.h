// Texts that language models wrote against what truly follows: the metric group `continuations`.
#pragma once

#include "vestige/metrics/family.h"

namespace vestige::metrics {

/// ROUGE-L of greedy continuations and leak@k of samples, on every split that has them; needs
/// neither tokens nor losses. No verdict rests on it.
Family continuations_family();

}  // namespace vestige::metrics
