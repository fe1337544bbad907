// Multiple-choice questions, and texts that language models wrote: do their files fit together?
#pragma once

#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

/// Every set of questions has labels within its options, a goal, and the same options for every
/// model. A model that says of each question something unrelated to what the others say, while
/// these agree, has its questions in another order.
Findings check_choices(const Evidence& evidence);

/// Samples are as many for every prompt and model, and as many lines as there are true
/// continuations; so are greedy texts of models without tokens or losses.
Findings check_samples(const Evidence& evidence);

}  // namespace vestige::evidence
