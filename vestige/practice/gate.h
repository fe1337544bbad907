// Checks results against a policy: one check per rule and method. What cannot be checked has
// failed.
#pragma once

#include <string>

#include "vestige/practice/policy.h"
#include "vestige/report/results.h"
#include "vestige/result/policy.h"

namespace vestige::practice {

using result::Gate;
using result::PolicyCheck;

Gate gate(const report::Results& results, const Policy& policy);

/// What results.json says of it, with the text of every reason.
Json gate_json(const Gate& gate);
/// One line per check and a last line with the outcome.
std::string gate_text(const Gate& gate);
std::string gate_markdown(const Gate& gate, const report::Results& results);
/// JUnit XML as CI systems read it (Jenkins, GitLab, Azure, GitHub actions): a case per check.
std::string gate_junit(const Gate& gate, const report::Results& results);

}  // namespace vestige::practice
