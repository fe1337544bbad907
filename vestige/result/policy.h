// How the rules of a policy ended (docs/practice/gate.md).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "vestige/result/names.h"
#include "vestige/result/reason.h"

namespace vestige::result {

/// One rule for one method, or for the evidence as a whole.
struct PolicyCheck {
  Reason rule{};
  std::string method{};  ///< "finetune", in an experiment "variant/finetune"; empty: the evidence
  bool passed = false;
  Reasons findings{};

  static constexpr std::string_view kType = "PolicyCheck";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("rule", &PolicyCheck::rule, "the rule of the policy");
    visit("method", &PolicyCheck::method, "unlearning method; empty for the evidence as a whole");
    visit("passed", &PolicyCheck::passed, "whether the rule is kept");
    visit("findings", &PolicyCheck::findings, "what was found");
  }
};

struct Gate {
  std::string policy{};  ///< its name
  std::string sha256{};
  std::string title{};
  bool passed = false;  ///< every check passed
  std::vector<PolicyCheck> checks{};

  std::size_t failures() const {
    std::size_t count = 0;
    for (const PolicyCheck& check : checks) count += check.passed ? 0 : 1;
    return count;
  }
  /// "policy failed: 2 of 9 checks failed".
  Reason outcome() const {
    return passed ? reason(Code::policy_passed, checks.size())
                  : reason(Code::policy_failed, failures(), checks.size());
  }

  static constexpr std::string_view kType = "Gate";
  template <typename Visit>
  static void fields(Visit&& visit) {
    visit("policy", &Gate::policy, "name of the policy file, default, or --fail-on");
    visit("sha256", &Gate::sha256, "SHA-256 of the policy; empty for --fail-on");
    visit("title", &Gate::title, "title of the policy");
    visit("passed", &Gate::passed, "whether every check passed");
    visit("checks", &Gate::checks, "one entry per rule and method");
  }
};

}  // namespace vestige::result
