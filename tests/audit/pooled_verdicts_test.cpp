// Verdicts over the splits of an experiment.
#include "vestige/audit/pooled_verdicts.h"

#include <gtest/gtest.h>

#include "tests/support.h"

namespace vestige::audit {
namespace {

/// A verdict whose only tests are two core ones with this difference, known to +-`half`.
Verdict judged(double estimate, double half) {
  Verdict verdict;
  verdict.method = "ft";
  verdict.form = Form::unseen;
  for (const char* metric : {"yardstick.probability", "yardstick.right"}) {
    VerdictTest test;
    test.metric = metric;
    test.difference = {.estimate = estimate,
                       .lower = estimate - half,
                       .upper = estimate + half,
                       .lower90 = estimate - 0.84 * half,
                       .upper90 = estimate + 0.84 * half,
                       .p = 0.5,
                       .how = ""};
    test.method = estimate;
    test.retrained = 0;
    test.original = 0.1;
    test.room = 0.1;
    test.margin = 0.025;
    test.core = true;
    test.unseen = true;
    test.side = Leaning::under;
    verdict.tests.push_back(test);
  }
  return verdict;
}

TEST(PooledVerdicts, OneSplitStaysAsItIs) {
  const auto pooled = pooled_verdicts({{judged(0.05, 0.1)}});
  ASSERT_EQ(pooled.size(), 1U);
  EXPECT_EQ(pooled[0].tests[0].difference.upper, 0.15000000000000002);
}

// No split alone shows 0.05 known to +-0.06; nine of them know it to +-0.02.
TEST(PooledVerdicts, SplitsTogetherShowWhatNoneShows) {
  std::vector<std::vector<Verdict>> splits(9, {judged(0.05, 0.06)});
  const auto pooled = pooled_verdicts(splits);
  ASSERT_EQ(pooled.size(), 1U);
  const Difference& difference = pooled[0].tests[0].difference;
  EXPECT_NEAR(difference.estimate, 0.05, 1e-12);
  EXPECT_NEAR(difference.upper, 0.07, 2e-4);  // 0.06 / 3
  EXPECT_EQ(pooled[0].word, Word::traces) << pooled[0].sentence;
  EXPECT_TRUE(testing::holds(pooled[0].sentence, {"9 splits"}));
}

// Where people were forgotten, as in an audit: one signal alone is not read.
TEST(PooledVerdicts, SignalsMustAgreeAboutPeople) {
  Verdict split = judged(0.05, 0.06);
  split.tests[1] = judged(0.0, 0.06).tests[1];
  EXPECT_EQ(pooled_verdicts(std::vector(9, std::vector{split}))[0].under, Shown::shown);
  split.signals_must_agree = true;
  const Verdict pooled = pooled_verdicts(std::vector(9, std::vector{split}))[0];
  EXPECT_NE(pooled.under, Shown::shown);
  EXPECT_TRUE(testing::holds(pooled.tests[0].what, {"other signals do not show it"}));
  Verdict both = judged(0.05, 0.06);
  both.signals_must_agree = true;
  EXPECT_EQ(pooled_verdicts(std::vector(9, std::vector{both}))[0].under, Shown::shown);
}

// A split in which a method is a retrained model under another name says nothing, and is no ruin.
TEST(PooledVerdicts, CopiesAreLeftOut) {
  Verdict copy;
  copy.method = "ft";
  copy.word = Word::no_verdict;
  copy.same_as = "retrained/0";
  copy.sentence = "ft: no verdict: a copy.";
  std::vector<std::vector<Verdict>> splits(9, {judged(0.05, 0.06)});
  splits.insert(splits.begin(), {copy});
  const Verdict pooled = pooled_verdicts(splits)[0];
  EXPECT_EQ(pooled.word, Word::traces) << pooled.sentence;
  EXPECT_NEAR(pooled.tests.at(0).difference.upper, 0.07, 2e-4);  // 0.06 / 3, as without the copy
  EXPECT_TRUE(testing::holds(pooled.sentence, {"9 splits", "In 1 of 10 splits", "left out"}));
  const Verdict all = pooled_verdicts({{copy}, {copy}})[0];
  EXPECT_EQ(all.word, Word::no_verdict);
  EXPECT_TRUE(testing::holds(all.sentence, {"no verdict: a copy", "In 2 of 2 splits"}));
}

TEST(PooledVerdicts, ForgettingIsShownByManySplits) {
  std::vector<std::vector<Verdict>> splits(16, {judged(0.001, 0.06)});
  EXPECT_EQ(pooled_verdicts(splits)[0].word, Word::forgotten);
}

// Splits that disagree by more than their errors say how uncertain the mean is: estimates 0, 0.1,
// 0, 0.1 of error near 0 have variance 0.01 / 3, so the mean's error is 0.0289 with 3 degrees of
// freedom and the half-width 3.182 * 0.0289 = 0.0919.
TEST(PooledVerdicts, DisagreementOfSplitsCounts) {
  std::vector<std::vector<Verdict>> splits;
  for (const double estimate : {0.0, 0.1, 0.0, 0.1}) splits.push_back({judged(estimate, 1e-9)});
  const Verdict pooled = pooled_verdicts(splits)[0];
  EXPECT_NEAR(pooled.tests[0].difference.estimate, 0.05, 1e-12);
  EXPECT_NEAR(pooled.tests[0].difference.upper - 0.05, 0.0919, 1e-4);
  EXPECT_NE(pooled.under, Shown::shown);
}

}  // namespace
}  // namespace vestige::audit
