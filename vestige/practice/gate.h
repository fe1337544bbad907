// The gate: every rule of a policy held against results, one line each. What cannot be checked has
// failed: a gate that opens because something was not measured is no gate.
#pragma once

#include <string>
#include <vector>

#include "vestige/practice/policy.h"
#include "vestige/report/results.h"

namespace vestige::practice {

/// One rule for one method, or for the evidence as a whole.
struct Check {
  std::string rule;    ///< "no verdict under", "utility loss at most 0.02"
  std::string method;  ///< "finetune", in an experiment "arm/finetune"; empty: the evidence
  bool passed = false;
  std::string text;  ///< what was found, one phrase
};

struct Gate {
  std::string policy;  ///< its name
  std::string sha256;
  std::string title;
  std::vector<Check> checks;

  bool passed() const;
  std::size_t failures() const;
};

Gate gate(const report::Results& results, const Policy& policy);

/// {policy, sha256, title, passed, checks}: what results.json says of it.
Json gate_json(const Gate& gate);
/// One line per rule and a last line with the outcome.
std::string gate_text(const Gate& gate);
std::string gate_markdown(const Gate& gate, const report::Results& results);
/// JUnit XML as CI systems read it (Jenkins, GitLab, Azure, GitHub actions): a case per check.
std::string gate_junit(const Gate& gate, const report::Results& results);

}  // namespace vestige::practice
