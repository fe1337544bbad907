// Every conformance case of the epsilon framework, run as `vestige conformance` runs it.
#include "vestige/audit/conformance/epsilon.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace vestige::audit {
namespace {

std::size_t run_all(const std::string& metric) {
  const auto runners = epsilon_runners();
  std::size_t passed = 0;
  const auto folder = std::filesystem::path(VESTIGE_SOURCE_DIR) / "tests/reference" / metric;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const ConformanceOutcome outcome = run_case(read_case(entry.path() / "case.json"), runners);
    EXPECT_EQ(outcome.verdict, ConformanceOutcome::Verdict::passed)
        << outcome.metric << "/" << outcome.name << ": " << outcome.detail;
    passed += outcome.verdict == ConformanceOutcome::Verdict::passed ? 1 : 0;
  }
  return passed;
}

TEST(ConformanceEpsilon, EpsilonCasesPass) { EXPECT_EQ(run_all("dm_epsilon"), 8U); }
TEST(ConformanceEpsilon, ForgetScoreCasesPass) { EXPECT_EQ(run_all("dm_forget_score"), 3U); }
TEST(ConformanceEpsilon, LogitScalingCasesPass) { EXPECT_EQ(run_all("dm_logit_scaling"), 3U); }

// A case whose expected value is off by more than its tolerance must fail.
TEST(ConformanceEpsilon, AWrongExpectationFails) {
  const auto path = std::filesystem::path(VESTIGE_SOURCE_DIR) /
                    "tests/reference/dm_forget_score/edges_n512/case.json";
  ConformanceCase test_case = read_case(path);
  test_case.expected["forget_score"] = evidence::Array::from_doubles({0.2303}, {1});
  EXPECT_EQ(run_case(test_case, epsilon_runners()).verdict, ConformanceOutcome::Verdict::failed);
}

}  // namespace
}  // namespace vestige::audit
