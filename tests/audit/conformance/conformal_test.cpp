// The conformal conformance cases as `vestige conformance` runs them.
#include "vestige/audit/conformance/conformal.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace vestige::audit {
namespace {

TEST(ConformalConformance, EveryReferenceCasePasses) {
  const std::vector<ConformanceRunner> runners = conformal_runners();
  std::size_t cases = 0;
  for (const ConformanceRunner& runner : runners) {
    const auto folder =
        std::filesystem::path(VESTIGE_SOURCE_DIR) / "tests/reference" / std::string(runner.metric);
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const ConformanceOutcome outcome = run_case(read_case(entry.path() / "case.json"), runners);
      EXPECT_EQ(outcome.verdict, ConformanceOutcome::Verdict::passed)
          << outcome.metric << "/" << outcome.name << ": " << outcome.detail;
      ++cases;
    }
  }
  EXPECT_EQ(cases, 13u);
}

// The rounding rule must not excuse a wrong answer: a set entry away from q, a score and q are each
// changed in a passing case.
TEST(ConformalConformance, AChangedValueFails) {
  const std::vector<ConformanceRunner> runners = conformal_runners();
  const auto path =
      std::filesystem::path(VESTIGE_SOURCE_DIR) / "tests/reference/conformal/c10_a05/case.json";
  for (const char* field : {"aps_sets_le", "lac_q", "entmax2_test_scores", "aps_rand_CR_lt"}) {
    ConformanceCase changed = read_case(path);
    const evidence::Array& before = changed.expected.at(field);
    std::vector<double> values = before.doubles();
    values[0] = values[0] == 1 ? 0 : values[0] + 1;
    changed.expected[field] = evidence::Array::from_doubles(values, before.shape());
    EXPECT_EQ(run_case(changed, runners).verdict, ConformanceOutcome::Verdict::failed) << field;
  }
}

}  // namespace
}  // namespace vestige::audit
