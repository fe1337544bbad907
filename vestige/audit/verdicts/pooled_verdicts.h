// Verdicts of a whole experiment: the tests of every split together, not those of the first.
#pragma once

#include <vector>

#include "vestige/audit/verdicts/verdicts.h"

namespace vestige::audit {

/// One verdict per method from the verdicts of several splits (each its own models and rows), in
/// the order of the first; a method counts where it was judged. Each test's estimate is the mean
/// over splits; its variance has the splits' own errors and, beyond those, how much splits differ.
/// One split is returned as it is.
std::vector<Verdict> pooled_verdicts(const std::vector<std::vector<Verdict>>& splits,
                                     const VerdictOptions& options = {});

}  // namespace vestige::audit
