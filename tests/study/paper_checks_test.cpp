// Checks of recipes that compare two sides: every outcome on rows made by hand.
#include "vestige/study/paper_checks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/study/study_checks.h"
#include "tests/study/study_rows.h"
#include "tests/study/two_attacks.h"
#include "vestige/audit/controls.h"
#include "vestige/words/words.h"

namespace vestige::study {
namespace {

using result::Code;
using result::reason;

TEST(Findings, AboveHeldByHand) {
  // Differences .1 .2 .3: mean .2, sd .1, half width 4.302653 * .1 / sqrt(3) = 0.248414; wider than
  // the mean, so inconclusive; with noise .01 it is a tenth of that.
  const CheckResult wide = evaluate(kIamAboveLoss, two_attacks(0.2, 0.1));
  EXPECT_EQ(wide.outcome, CheckOutcome::inconclusive);
  EXPECT_NEAR(wide.estimate.value, 0.2, 1e-12);
  EXPECT_NEAR(wide.estimate.lower, 0.2 - 0.248414, 1e-6);
  EXPECT_EQ(wide.n, 3u);
  EXPECT_EQ(wide.how, reason(Code::t_over_pairs_of_models, 3));
  const CheckResult tight = evaluate(kIamAboveLoss, two_attacks(0.2, 0.01));
  EXPECT_EQ(tight.outcome, CheckOutcome::held);
  EXPECT_EQ(tight.finding, "it is so");
  EXPECT_EQ(tight.source, "paper");
  ASSERT_EQ(tight.reasons.size(), 1u);
  const std::string text = words::text(tight.reasons);
  EXPECT_NE(text.find("difference 0.2, 95 % interval [0.1752, 0.2248]"), std::string::npos) << text;
  EXPECT_NE(text.find(", variant main"), std::string::npos) << text;
}

TEST(Findings, LeastDifferenceAndOtherSide) {
  EXPECT_EQ(evaluate(kIamAboveLoss + "by = 0.17\n", two_attacks(0.2, 0.01)).outcome,
            CheckOutcome::held);
  EXPECT_EQ(evaluate(kIamAboveLoss + "by = 0.19\n", two_attacks(0.2, 0.01)).outcome,
            CheckOutcome::inconclusive);
  EXPECT_EQ(evaluate(kIamAboveLoss + "by = 0.3\n", two_attacks(0.2, 0.01)).outcome,
            CheckOutcome::did_not_hold);
  EXPECT_EQ(evaluate(kIamAboveLoss, two_attacks(-0.2, 0.01)).outcome, CheckOutcome::did_not_hold);
  EXPECT_EQ(evaluate(kIamAboveLoss, two_attacks(0.0, 0.0)).outcome, CheckOutcome::did_not_hold);
}

TEST(Findings, NearIsATwoOneSidedTest) {
  const std::string near =
      "left = {metric = 'iam.online.auc', method = 'retrained'}\nis = 'near'\nright = 0.6\n";
  // Half width 0.0248414 around 0.01.
  const std::vector<StudyRow> rows = two_attacks(0.01, 0.01);
  EXPECT_EQ(evaluate(near + "margin = 0.04\n", rows).outcome, CheckOutcome::held);
  EXPECT_EQ(evaluate(near + "margin = 0.02\n", rows).outcome, CheckOutcome::inconclusive);
  EXPECT_EQ(evaluate(near + "margin = 0.02\n", two_attacks(0.2, 0.01)).outcome,
            CheckOutcome::did_not_hold);
}

// What an audit paired by example is not taken apart again: 0.8 +- 0.4 and 0.5 +- 0.4 overlap, but
// example by example the two differ by 0.25 to 0.35.
TEST(Findings, OriginalAgainstRetrainedIsPairedByExampleWhereTheAuditDid) {
  std::vector<StudyRow> rows = make_all(
      {{.model = "original/0", .value = 0.8, .metric = "holdout_gap.loss", .half_width = 0.4},
       {.model = "retrained/0", .value = 0.5, .metric = "holdout_gap.loss", .half_width = 0.4}});
  const std::string body =
      "left = {metric = 'holdout_gap.loss', method = 'original'}\nis = 'above'\n"
      "right = {metric = 'holdout_gap.loss', method = 'retrained'}\n";
  EXPECT_EQ(evaluate(body, rows).outcome, CheckOutcome::inconclusive);
  rows[0].row.facts = {{audit::kBeyondLower, 0.25}, {audit::kBeyondUpper, 0.35}};
  const CheckResult seen = evaluate(body, rows);
  EXPECT_EQ(seen.outcome, CheckOutcome::held);
  EXPECT_NEAR(seen.estimate.lower, 0.25, 1e-12);
  EXPECT_NEAR(seen.estimate.upper, 0.35, 1e-12);
  EXPECT_EQ(seen.how.code, Code::interval_paired_by_audit);
  // The other way round, and another metric, it says nothing.
  const std::string other =
      "left = {metric = 'holdout_gap.loss', method = 'retrained'}\nis = 'below'\n"
      "right = {metric = 'holdout_gap.loss', method = 'original'}\n";
  EXPECT_EQ(evaluate(other, rows).outcome, CheckOutcome::inconclusive);
}

TEST(Findings, FewReplicatesUseTheRowsIntervals) {
  // MOVER: 0.8 +- 0.1 against 0.5 +- 0.1: 0.3 -+ sqrt(0.02).
  std::vector<StudyRow> rows = make_all(
      {{.model = "original/0", .value = 0.8, .metric = "iam.online.auc", .half_width = 0.1},
       {.model = "retrained/0", .value = 0.5, .metric = "iam.online.auc", .half_width = 0.1}});
  const std::string body =
      "left = {metric = 'iam.online.auc', method = 'original'}\nis = 'above'\n"
      "right = {metric = 'iam.online.auc', method = 'retrained'}\n";
  const CheckResult seen = evaluate(body, rows);
  EXPECT_EQ(seen.outcome, CheckOutcome::held);
  EXPECT_NEAR(seen.estimate.lower, 0.3 - std::sqrt(0.02), 1e-12);
  EXPECT_EQ(seen.how.code, Code::mover_from_audit_intervals);
  for (StudyRow& row : rows) row.row.lower = row.row.upper = metrics::kUndefined;
  EXPECT_EQ(evaluate(body, rows).outcome, CheckOutcome::inconclusive);
  const CheckResult exact = evaluate(body + "exact = true\n", rows);
  EXPECT_EQ(exact.outcome, CheckOutcome::held);
  EXPECT_EQ(exact.how.code, Code::values_without_interval);
}

TEST(Findings, AttackSeedsAreTheLastResort) {
  std::vector<StudyRow> rows;
  for (std::uint64_t attack = 1; attack <= 4; ++attack) {
    const double wobble = 0.001 * static_cast<double>(attack);
    rows.push_back(make({.model = "original/0",
                         .value = 0.8 + wobble,
                         .metric = "iam.online.auc",
                         .attack_seed = attack}));
  }
  const CheckResult seen = evaluate(
      "left = {metric = 'iam.online.auc', method = 'original'}\nis = 'above'\nright = 0.5\n", rows);
  EXPECT_EQ(seen.outcome, CheckOutcome::held);
  EXPECT_EQ(seen.n, 4u);
  EXPECT_EQ(seen.how, reason(Code::t_over_pairs_of_attack_seeds, 4));
}

TEST(Findings, SidesMeetInACommonSetting) {
  // The retrained control exists at half the models only; the method at both. 0.9 at N = 10 must
  // not be used.
  const Json ten = {{"models", 10}};
  const Json five = {{"models", 5}, {"halves", true}};
  std::vector<StudyRow> rows;
  for (std::uint64_t split = 1; split <= 3; ++split) {
    const double wobble = 0.001 * static_cast<double>(split);
    const auto add = [&](const std::string& model, double value, const Json& params) {
      rows.push_back(make({.model = model,
                           .value = value,
                           .metric = "epsilon.f_score",
                           .split_seed = split,
                           .params = params}));
    };
    add("unlearned/a", 0.9, ten);
    add("unlearned/a", 0.1 + wobble, five);
    add("retrained", 0.3, five);
  }
  const CheckResult seen = evaluate(
      "left = {metric = 'epsilon.f_score', method = 'a'}\nis = 'below'\n"
      "right = {metric = 'epsilon.f_score', method = 'retrained'}\n",
      rows);
  EXPECT_NEAR(seen.estimate.value, -0.198, 1e-12);
  EXPECT_EQ(seen.outcome, CheckOutcome::held);
}

TEST(Findings, ParamsAndGapAndMeanOverMethods) {
  std::vector<StudyRow> rows;
  for (int model = 0; model < 3; ++model) {
    for (const double alpha : {0.05, 0.1}) {
      for (const char* method : {"a", "b"}) {
        rows.push_back(
            make({.model = std::string("unlearned/") + method + "/" + std::to_string(model),
                  .value = alpha + (method[0] == 'a' ? 0.1 : 0.3) + 0.001 * model,
                  .metric = "conformal.cr.forget",
                  .reference = 0.05,
                  .params = {{"alpha", alpha}}}));
      }
    }
  }
  // Mean over a and b at alpha 0.1: 0.1 + 0.2 + {0, .001, .002}; gap to 0.05: 0.251.
  const CheckResult seen = evaluate(
      "left = {metric = 'conformal.cr.forget', params = {alpha = 0.1}, of = 'gap'}\n"
      "is = 'above'\nright = 0.2\n",
      rows);
  EXPECT_NEAR(seen.estimate.value, 0.051, 1e-12);
  EXPECT_EQ(seen.outcome, CheckOutcome::held);
}

TEST(Findings, UnreliableAsTheAuditsSay) {
  const std::string body = "unreliable = {metric = 'miau.score'}\n";
  std::vector<StudyRow> rows = make_all({
      {.model = "unlearned/a/0",
       .value = 3,
       .metric = "miau.score",
       .split_seed = 1,
       .status = metrics::Status::unreliable},
      {.model = "unlearned/a/0",
       .value = 3,
       .metric = "miau.score",
       .split_seed = 2,
       .status = metrics::Status::unreliable},
  });
  EXPECT_EQ(evaluate(body, rows).outcome, CheckOutcome::held);
  for (const char* model : {"original/0", "retrained/0"}) {
    for (std::uint64_t split = 1; split <= 2; ++split) {
      rows.push_back(make({.model = model,
                           .value = 1,
                           .metric = "miau.score",
                           .split_seed = split,
                           .half_width = 0.1}));
    }
  }
  rows[0].row.status = metrics::Status::ok;
  EXPECT_EQ(evaluate(body, rows).outcome, CheckOutcome::inconclusive);
  rows[1].row.status = metrics::Status::ok;
  EXPECT_EQ(evaluate(body, rows).outcome, CheckOutcome::did_not_hold);
}

TEST(Findings, NothingMeasuredIsInconclusive) {
  const CheckResult seen = evaluate(kIamAboveLoss, {});
  EXPECT_EQ(seen.outcome, CheckOutcome::inconclusive);
  EXPECT_EQ(words::text(seen.reasons),
            "nothing was measured: there is no value for iam.online.auc of retrained");
}

TEST(Findings, AConditionThatDoesNotHoldLeavesThemOpen) {
  const std::string near =
      "left = {metric = 'iam.online.auc', method = 'retrained'}\nis = 'near'\nmargin = 0.05\n"
      "right = {metric = 'attacks.loss.auc', method = 'retrained'}\n";
  const std::string above_chance =
      "given = {left = {metric = 'attacks.loss.auc', method = 'retrained'}, is = 'above', "
      "right = %}\n";
  const auto given = [&](const std::string& limit) {
    std::string text = above_chance;
    return near + text.replace(text.find('%'), 1, limit);
  };
  std::vector<StudyRow> rows = two_attacks(0.01, 0.001);
  // The loss attack's values are all 0.6; a spread of their own gives them an interval.
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].row.metric == "attacks.loss.auc")
      rows[i].row.value += 1e-4 * static_cast<double>(i);
  }
  EXPECT_EQ(evaluate(near, rows).outcome, CheckOutcome::held);
  const CheckResult shown = evaluate(given("0.5"), rows);
  EXPECT_EQ(shown.outcome, CheckOutcome::held);
  EXPECT_EQ(shown.reasons.back().code, Code::condition_holds);
  const CheckResult open = evaluate(given("0.7"), rows);
  EXPECT_EQ(open.outcome, CheckOutcome::inconclusive);
  EXPECT_EQ(open.reasons.back().code, Code::condition_does_not_hold);
  EXPECT_NE(check_error(near + "given = {left = {metric = 'miau.scor'}, is = 'above', right = 0}\n")
                .find("did you mean 'miau.score'"),
            std::string::npos);
  EXPECT_NE(check_error(near + "given = {is = 'above'}\n").find("has none of"), std::string::npos);
  EXPECT_FALSE(evaluate(near, rows).control);
  EXPECT_TRUE(evaluate(near + "control = true\n", rows).control);
}

}  // namespace
}  // namespace vestige::study
