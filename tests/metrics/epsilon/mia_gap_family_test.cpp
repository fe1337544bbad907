// The family mia_gap on synthetic evidence.
#include "vestige/metrics/epsilon/mia_gap_family.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/metrics/support/confident_evidence.h"
#include "tests/metrics/support/measured.h"

namespace vestige::metrics {
namespace {

TEST(MiaGapFamily, GapAndItsInterval) {
  const evidence::Evidence evidence = confident::telling_evidence(3);
  Progress progress(ProgressStyle::quiet, "mia_gap", 1);
  const Row row =
      measured(mia_gap_family(), confident::compare(evidence, "original"), {.seed = 1}).rows.at(0);
  // The original's forget losses are clearly lower than its test losses, the retrained model's not.
  EXPECT_GT(row.facts["accuracy"].get<double>(), 0.9);
  EXPECT_NEAR(row.facts["retrained_accuracy"].get<double>(), 0.5, 0.12);
  EXPECT_DOUBLE_EQ(row.value, std::abs(row.facts["accuracy"].get<double>() -
                                       row.facts["retrained_accuracy"].get<double>()));
  EXPECT_LT(row.lower, row.value);
  EXPECT_GT(row.upper, row.value);
  EXPECT_EQ(row.n, 3u);
  const Row retrained =
      measured(mia_gap_family(), confident::compare(evidence, "retrained"), {.seed = 1}).rows.at(0);
  EXPECT_LT(retrained.value, 0.15);
}

TEST(MiaGapFamily, SaysWhatIsMissing) {
  evidence::Evidence evidence = confident::telling_evidence();
  Progress progress(ProgressStyle::quiet, "mia_gap", 1);
  EXPECT_TRUE(mia_gap_family().support(evidence).supported);
  EXPECT_EQ(measured(mia_gap_family(), confident::compare(evidence, "retrained"), {.seed = 1})
                .rows.at(0)
                .status,
            Status::skipped);
  evidence.groups[1].models[0].outputs.erase("test");
  EXPECT_FALSE(mia_gap_family().support(evidence).supported);
  EXPECT_EQ(mia_gap_family().support(evidence).reason,
            reason(Code::needs_retrained_model, "retrained/0/{forget,test}.npy"));
}

}  // namespace
}  // namespace vestige::metrics
