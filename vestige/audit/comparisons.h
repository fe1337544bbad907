// Who is compared with whom: methods with retrained models, and the controls whose answer is known.
#pragma once

#include <string>
#include <vector>

#include "vestige/evidence/evidence.h"
#include "vestige/metrics/family.h"
#include "vestige/result/remark.h"

namespace vestige::audit {

/// A constant predictor made from the evidence: every row gets the class frequencies of the retain
/// labels (forget labels without them). One model "constant_predictor/0" with the splits that the
/// originals (else the retrained models) have, and zeros for their activations. Splits of more than
/// 2^27 values are left out. Of language models a uniform one: every token has probability 1 /
/// vocabulary.
evidence::Group constant_group(const evidence::Evidence& evidence);

/// Every comparison for a family of the given unit, methods first, then controls. `constant` must
/// outlive the result. `checkpoints`: models at fractions of training too, but for those whose
/// membership is declared, which are there for ScoreUI.
std::vector<metrics::Comparison> comparisons(const evidence::Evidence& evidence,
                                             const evidence::Group& constant, metrics::Unit unit,
                                             bool checkpoints = false);

using result::Grade;

/// By the models alone. A: several retrained models, B: one, C: shadow models only, D: none of
/// them.
Grade grade(const evidence::Evidence& evidence);

/// The grade that is shown. With fewer than 25 forget examples, or fewer than 25 unseen ones where
/// there are any, it is at most C; with fewer than 5 it is D.
Grade evidence_quality(const evidence::Evidence& evidence);

}  // namespace vestige::audit
