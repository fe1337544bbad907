// Verdicts over the splits of an experiment.
#include "vestige/audit/verdicts/pooled_verdicts.h"

#include <gtest/gtest.h>

#include "tests/support.h"
#include "vestige/words/verdicts.h"

namespace vestige::audit {
namespace {

/// A verdict whose only tests are two core ones with this difference, known to +-`half`.
Verdict judged(double estimate, double half) {
  Verdict verdict;
  verdict.method = "ft";
  verdict.form = Form::unseen;
  for (const char* metric : {"holdout_gap.probability", "holdout_gap.right"}) {
    VerdictTest test;
    test.metric = metric;
    test.difference = {.estimate = estimate,
                       .lower = estimate - half,
                       .upper = estimate + half,
                       .lower90 = estimate - 0.84 * half,
                       .upper90 = estimate + 0.84 * half,
                       .p = 0.5,
                       .how = {}};
    test.method = estimate;
    test.retrained = 0;
    test.original = 0.1;
    test.reference_difference = 0.1;
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
  EXPECT_EQ(pooled[0].word, Word::traces_remain) << words::sentence(pooled[0]);
  EXPECT_TRUE(testing::holds(words::sentence(pooled[0]), {"9 splits"}));
}

// By the means over splits: 0.02 and 0.06 are 0.04 of 1, a tenth of which is 0.1.
TEST(PooledVerdicts, HardlyChangedIsPooled) {
  Verdict first = judged(0.05, 0.06), second = first;
  first.moved = {0.02, 0.9};
  second.moved = {0.06, 1.1};
  const Verdict made = pooled_verdicts({{first}, {second}}).at(0);
  EXPECT_NEAR(made.moved.method, 0.04, 1e-12);
  EXPECT_NEAR(made.moved.retrained, 1, 1e-12);
  EXPECT_TRUE(made.hardly_changed);
  EXPECT_TRUE(testing::holds(words::sentence(made), {"hardly changed the model", "0.04"}));
  second.moved = {0.3, 1.1};
  EXPECT_FALSE(pooled_verdicts({{first}, {second}}).at(0).hardly_changed);
}

// Where people were forgotten, as in an audit: one signal alone is not read.
TEST(PooledVerdicts, SignalsMustAgreeAboutPeople) {
  Verdict split = judged(0.05, 0.06);
  split.tests[1] = judged(0.0, 0.06).tests[1];
  EXPECT_EQ(pooled_verdicts(std::vector(9, std::vector{split}))[0].under, Outcome::shown);
  split.signals_must_agree = true;
  const Verdict pooled = pooled_verdicts(std::vector(9, std::vector{split}))[0];
  EXPECT_NE(pooled.under, Outcome::shown);
  EXPECT_EQ(pooled.tests[0].not_read.code, result::Code::signals_disagree);
  Verdict both = judged(0.05, 0.06);
  both.signals_must_agree = true;
  EXPECT_EQ(pooled_verdicts(std::vector(9, std::vector{both}))[0].under, Outcome::shown);
}

// A split in which a method is a retrained model under another name says nothing, and is no ruin.
TEST(PooledVerdicts, CopiesAreLeftOut) {
  Verdict copy;
  copy.method = "ft";
  copy.word = Word::not_tested;
  copy.same_as = "retrained/0";
  copy.obstacle = result::reason(result::Code::message, "a copy");
  std::vector<std::vector<Verdict>> splits(9, {judged(0.05, 0.06)});
  splits.insert(splits.begin(), {copy});
  const Verdict pooled = pooled_verdicts(splits)[0];
  EXPECT_EQ(pooled.word, Word::traces_remain) << words::sentence(pooled);
  EXPECT_NEAR(pooled.tests.at(0).difference.upper, 0.07, 2e-4);  // 0.06 / 3, as without the copy
  EXPECT_TRUE(
      testing::holds(words::sentence(pooled), {"9 splits", "In 1 of 10 splits", "left out"}));
  const Verdict all = pooled_verdicts({{copy}, {copy}})[0];
  EXPECT_EQ(all.word, Word::not_tested);
  EXPECT_TRUE(testing::holds(words::sentence(all), {"not tested. A copy", "In 2 of 2 splits"}));
}

TEST(PooledVerdicts, ForgettingIsShownByManySplits) {
  Verdict split = judged(0.001, 0.06);
  std::vector<std::vector<Verdict>> splits(16, {split});
  EXPECT_NE(pooled_verdicts(splits)[0].word, Word::forgotten) << "utility was not measured";
  for (const char* metric : {"utility.accuracy.retain", "utility.accuracy.test"}) {
    VerdictTest test = split.tests.front();
    test.metric = metric;
    test.quantity = Quantity::utility;
    test.difference = {0, -0.02, 0.02, -0.017, 0.017, 0.9, {}};
    test.margin = 0.01;
    test.core = test.unseen = false;
    test.examples = 400;
    split.tests.push_back(test);
  }
  splits.assign(16, {split});
  const Verdict pooled = pooled_verdicts(splits)[0];
  EXPECT_EQ(pooled.word, Word::forgotten) << words::sentence(pooled);
}

/// Within the margin on forget examples, with its utility.
Verdict forgetting() {
  Verdict split = judged(0.001, 0.02);
  for (const char* metric : {"utility.accuracy.retain", "utility.accuracy.test"}) {
    VerdictTest test = split.tests.front();
    test.metric = metric;
    test.quantity = Quantity::utility;
    test.difference = {0, -0.005, 0.005, -0.004, 0.004, 0.9, {}};
    test.margin = 0.01;
    test.core = test.unseen = false;
    test.examples = 400;
    split.tests.push_back(test);
  }
  return split;
}

// A recipe whose evidence is wrong in one split, wherever it stands, or whose method destroys a
// model there, is not shown to forget by the others.
TEST(PooledVerdicts, OneWrongOrDestroyedSplitIsNotForgotten) {
  EXPECT_EQ(pooled_verdicts({{forgetting()}, {forgetting()}, {forgetting()}})[0].word,
            Word::forgotten);
  Verdict wrong;
  wrong.method = "ft";
  wrong.word = Word::not_tested;
  wrong.obstacle = result::reason(result::Code::message, "the labels fit no model");
  Verdict destroyed;
  destroyed.method = "ft";
  destroyed.word = Word::collapsed;
  destroyed.ruin = result::reason(result::Code::one_answer, 1.0, 3);
  for (std::size_t place = 0; place < 3; ++place) {
    std::vector<std::vector<Verdict>> splits(3, {forgetting()});
    splits[place] = {wrong};
    const Verdict made = pooled_verdicts(splits)[0];
    EXPECT_EQ(made.word, Word::not_decided) << words::sentence(made);
    EXPECT_NE(made.equivalent, Outcome::shown);
    EXPECT_TRUE(
        testing::holds(words::sentence(made), {"The labels fit no model.", "1 of 3 splits"}))
        << words::sentence(made);
    splits[place] = {destroyed};
    const Verdict ruined = pooled_verdicts(splits)[0];
    EXPECT_EQ(ruined.word, Word::not_decided) << words::sentence(ruined);
    EXPECT_TRUE(testing::holds(words::sentence(ruined), {"destroyed in 1 of 3 splits"}));
  }
  // One split of two is left: nothing to pool.
  const Verdict half = pooled_verdicts({{forgetting()}, {wrong}})[0];
  EXPECT_EQ(half.word, Word::not_tested) << words::sentence(half);
}

// A split that cannot tell original from retrained lacks power, and does not speak against the
// others.
TEST(PooledVerdicts, ASplitWithoutPowerIsLeftOut) {
  Verdict weak;
  weak.method = "ft";
  weak.word = Word::not_tested;
  weak.obstacle = result::Code::no_metric_tells_original;
  const Verdict made = pooled_verdicts({{weak}, {forgetting()}, {forgetting()}})[0];
  EXPECT_EQ(made.word, Word::forgotten) << words::sentence(made);
  EXPECT_TRUE(testing::holds(words::sentence(made), {"This holds in 1 of 3 splits"}));
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
  EXPECT_NE(pooled.under, Outcome::shown);
}

}  // namespace
}  // namespace vestige::audit
