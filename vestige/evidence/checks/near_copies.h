// Models that are copies up to rounding, noise, a shift or a temperature.
#pragma once

#include "vestige/evidence/checks/finding.h"
#include "vestige/evidence/evidence.h"

namespace vestige::evidence {

/// W-SAME for what same_models does not find, because not every value is the same:
/// - an unlearned model that is a retrained model (a checkpoint exported again, noise, a shift of
///   the logits, a temperature), and two reference models of one role that are one model;
/// - an unlearned model that answers retain and test examples exactly as an original does, and only
///   forget examples otherwise: a filter, or a file from another model (Code::only_forget_differs).
///   Where a class was forgotten, also one that differs from an original in its logits alone.
/// The first blocks verdicts, the second FORGOTTEN only: traces behind a filter are still traces.
Findings check_near_copies(const Evidence& evidence);

}  // namespace vestige::evidence
