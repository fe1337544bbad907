// The examples of docs/practice are what the program reads.
#include <gtest/gtest.h>

#include "tests/practice/synthetic_results.h"
#include "vestige/base/file.h"
#include "vestige/practice/gate.h"

namespace vestige::practice {
namespace {

// The synthetic method "keeps" has traces, "loses" is not decided; both lie on evidence with
// W-ORDER; accuracy on test was not measured; "loses" lost 0.03.
TEST(PracticeDocumentation, TheExamplePolicyHoldsAndFails) {
  const Policy policy = read_policy(VESTIGE_SOURCE_DIR "/docs/practice/policy.toml");
  const Gate outcome = gate(testing::synthetic_results(), policy);
  std::vector<std::pair<std::string, result::Reason>> failed;
  for (const PolicyCheck& check : outcome.checks) {
    if (!check.passed) failed.emplace_back(check.method, check.rule);
  }
  using result::Code;
  using result::reason;
  const std::vector<std::string> forgotten = {"forgotten"};
  const result::Reason accuracy =
      reason(Code::rule_at_least, "utility.accuracy.test", false, true, 0.8);
  const std::vector<std::pair<std::string, result::Reason>> expected = {
      {"", reason(Code::rule_no_finding, "W-ORDER")},
      {"keeps", reason(Code::rule_verdict_one_of, forgotten)},
      {"loses", reason(Code::rule_verdict_one_of, forgotten)},
      {"loses", reason(Code::rule_accuracy_loss, 0.02)},
      {"keeps", reason(Code::rule_at_most, "holdout_gap.probability", true, false, 0.02)},
      {"keeps", accuracy},
      {"loses", accuracy}};
  EXPECT_EQ(failed, expected);
}

TEST(PracticeDocumentation, ThePageHasTheDefaultPolicy) {
  const std::string page = read_file(VESTIGE_SOURCE_DIR "/docs/practice/gate.md");
  EXPECT_NE(page.find(default_policy_text()), std::string::npos);
}

TEST(PracticeDocumentation, TheWorkflowUsesOptionsThatExist) {
  const std::string workflow = read_file(VESTIGE_SOURCE_DIR "/docs/practice/workflow.yml");
  for (const char* word : {"--policy policy.toml", "--junit junit.xml", "--summary summary.md"}) {
    EXPECT_NE(workflow.find(word), std::string::npos) << word;
  }
}

}  // namespace
}  // namespace vestige::practice
