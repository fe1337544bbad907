// What verdicts need and the evidence does not have.
#pragma once

#include "vestige/audit/verdicts/verdicts.h"
#include "vestige/evidence/evidence.h"
#include "vestige/result/reason.h"

namespace vestige::audit {

/// Why nothing could be tested, with what to add. `tried`: metrics were tried and failed their
/// controls.
result::Reason obstacle_to_verdicts(const evidence::Evidence& evidence,
                                    const evidence::Group& group, bool tried);

/// The splits on which FORGOTTEN needs utility (retain, test, and the utility splits that any model
/// has) and on which `tests` have none, with the files to add; empty if every split was tested.
result::Reason missing_utility(const evidence::Evidence& evidence, const evidence::Group& group,
                               const std::vector<VerdictTest>& tests);

/// Splits whose accuracy accuracy.json states and nobody can compute from outputs.
std::vector<std::string> declared_accuracies(const evidence::Evidence& evidence,
                                             const evidence::Group& group);

}  // namespace vestige::audit
