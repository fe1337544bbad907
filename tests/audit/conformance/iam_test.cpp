// Every reference case of IAM and the attack family passes.
#include "vestige/audit/conformance/iam.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace vestige::audit {
namespace {

TEST(ConformanceIam, AllCasesPass) {
  const std::filesystem::path root =
      std::filesystem::path(VESTIGE_SOURCE_DIR) / "tests" / "reference";
  const std::vector<ConformanceRunner> runners = iam_runners();
  std::size_t cases = 0;
  for (const ConformanceRunner& runner : runners) {
    for (const auto& entry : std::filesystem::directory_iterator(root / runner.metric)) {
      const ConformanceOutcome outcome = run_case(read_case(entry.path() / "case.json"), runners);
      EXPECT_EQ(outcome.verdict, ConformanceOutcome::Verdict::passed)
          << outcome.metric << "/" << outcome.name << ": " << outcome.detail;
      ++cases;
    }
  }
  EXPECT_EQ(cases, 24U);
}

TEST(ConformanceIam, AWrongUnleakFeatureStillFails) {
  const auto path =
      std::filesystem::path(VESTIGE_SOURCE_DIR) / "tests/reference/unleak_features/c100/case.json";
  ConformanceCase test_case = read_case(path);
  std::vector<double> wrong = test_case.expected.at("feature").doubles();
  wrong[10] += 1e-3;
  test_case.expected["feature"] = evidence::Array::from_doubles(wrong, {5, 100});
  const auto runners = iam_runners();
  EXPECT_EQ(run_case(test_case, runners).verdict, ConformanceOutcome::Verdict::failed);
}

}  // namespace
}  // namespace vestige::audit
