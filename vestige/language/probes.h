// Probes of language models: treatments that originals, retrained and unlearned models get alike
// once they are finished, to see whether the forgotten comes back (docs/lab/probes.md). No
// LibTorch.
#pragma once

#include <string>
#include <vector>

#include "vestige/language/recipe.h"

namespace vestige::language {

/// The recipe's `probes`: names, or tables with name, label and options. Unknown ones are
/// InputErrors with the nearest known one.
std::vector<ProbeSettings> read_probes(const Json& list, const std::string& where);

/// "int8", or of a stage "relearn.8": the probe's name in the evidence.
std::string stage_label(const ProbeSettings& probe, std::int64_t steps);
/// The file of a stage in the pool; 0: of the end.
std::string stage_file(std::int64_t steps);

/// Every probe with its options and their defaults, for people.
std::string probes_text();

}  // namespace vestige::language
