// The same policy must not pass because the audit was told to leave a method out.
#include <gtest/gtest.h>

#include "tests/practice/synthetic_results.h"
#include "vestige/practice/gate.h"

namespace vestige::practice {
namespace {

using result::Code;

/// Codes of the checks that failed for the evidence as a whole.
std::vector<Code> failed_rules(const report::Results& results, const std::string& policy) {
  std::vector<Code> codes;
  for (const PolicyCheck& check : gate(results, parse_policy(policy, "policy.toml")).checks) {
    if (!check.passed && check.method.empty()) codes.push_back(check.rule.code);
  }
  return codes;
}

const std::string kAll = "[verdicts]\nabsent = [\"under\"]\n";
const std::vector<Code> kLeftOut = {Code::rule_no_method_left_out};

TEST(GateSelection, ExcludedMethodsThatThePolicyJudgesFail) {
  report::Results results = testing::synthetic_results();
  EXPECT_EQ(failed_rules(results, kAll), std::vector<Code>{});
  results.run.selection->exclude = {"traces"};
  EXPECT_EQ(failed_rules(results, kAll), kLeftOut);
  EXPECT_EQ(failed_rules(results, "methods = [\"loses\"]\n" + kAll), std::vector<Code>{});
  EXPECT_EQ(failed_rules(results, "exclude = [\"traces\"]\n" + kAll), std::vector<Code>{});
}

TEST(GateSelection, AChoiceOfMethodsFailsUnlessThePolicyNamesMethods) {
  report::Results results = testing::synthetic_results();
  results.run.selection->methods = {"loses"};
  EXPECT_EQ(failed_rules(results, kAll), kLeftOut);
  EXPECT_EQ(failed_rules(results, "methods = [\"loses\"]\n" + kAll), std::vector<Code>{});
}

}  // namespace
}  // namespace vestige::practice
