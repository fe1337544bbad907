// Every public reference case of statistics and membership attacks passes through its runner.
#include "vestige/audit/conformance/attacks.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace vestige::audit {
namespace {

TEST(ConformanceAttacks, EveryReferenceCasePasses) {
  const std::vector<ConformanceRunner> runners = attack_runners();
  std::size_t cases = 0;
  for (const ConformanceRunner& runner : runners) {
    const auto folder =
        std::filesystem::path(VESTIGE_SOURCE_DIR) / "tests/reference" / runner.metric;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const ConformanceOutcome outcome = run_case(read_case(entry.path() / "case.json"), runners);
      EXPECT_EQ(outcome.verdict, ConformanceOutcome::Verdict::passed)
          << outcome.metric << "/" << outcome.name << ": " << outcome.detail;
      ++cases;
    }
  }
  // 2 simple_mia, 4 roc_auc, 3 spearman, 5 paired_t, 5 mannwhitney, 4 miau, 3 zrf, 3
  // mia_classifiers.
  EXPECT_EQ(cases, 29u);
}

}  // namespace
}  // namespace vestige::audit
