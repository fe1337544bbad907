// The examples of docs/practice are what the program reads.
#include <gtest/gtest.h>

#include "tests/practice/made_up_results.h"
#include "vestige/base/file.h"
#include "vestige/practice/gate.h"

namespace vestige::practice {
namespace {

// The made-up method "keeps" has traces; both lie on evidence with W-ORDER; accuracy on test was
// not measured; "loses" lost 0.03.
TEST(PracticeDocumentation, TheExamplePolicyHoldsAndFails) {
  const Policy policy = read_policy(VESTIGE_SOURCE_DIR "/docs/practice/policy.toml");
  const Gate outcome = gate(testing::made_up_results(), policy);
  std::vector<std::string> failed;
  for (const Check& check : outcome.checks) {
    if (!check.passed) failed.push_back(check.method + ": " + check.rule);
  }
  EXPECT_EQ(failed, (std::vector<std::string>{
                        ": no finding W-ORDER", "keeps: no verdict under",
                        "loses: utility loss at most 0.02",
                        "keeps: yardstick.probability minus retrained's at most 0.02",
                        "keeps: utility.accuracy.test at least 0.8 by its interval",
                        "loses: utility.accuracy.test at least 0.8 by its interval"}));
}

TEST(PracticeDocumentation, TheWorkflowUsesOptionsThatExist) {
  const std::string workflow = read_file(VESTIGE_SOURCE_DIR "/docs/practice/workflow.yml");
  for (const char* word : {"--policy policy.toml", "--junit junit.xml", "--summary summary.md"}) {
    EXPECT_NE(workflow.find(word), std::string::npos) << word;
  }
}

}  // namespace
}  // namespace vestige::practice
