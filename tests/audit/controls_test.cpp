// What controls say about a metric, by hand.
#include "vestige/audit/controls.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support.h"
#include "vestige/metrics/family.h"
#include "vestige/metrics/stats/contrast.h"
#include "vestige/words/words.h"

namespace vestige::audit {
namespace {

using metrics::Control;
using metrics::Row;
using metrics::Status;
using testing::holds;

Row row(const std::string& model, Control control, double value, double lower, double upper) {
  Row made;
  made.metric = "epsilon.f_score";
  made.subject = metrics::parse_subject(model);
  made.direction = metrics::Direction::higher;
  made.value = value;
  made.lower = lower;
  made.upper = upper;
  made.control = control;
  return made;
}

TEST(Discriminate, MoverByHand) {
  // d = 0.3; lower = d - sqrt((0.5-0.4)^2 + (0.3-0.2)^2), upper = d + sqrt((0.7-0.5)^2 +
  // (0.2-0.1)^2)  (Zou and Donner 2008, eq. 5).
  const Discrimination seen = discriminate(row("original", Control::original, 0.5, 0.4, 0.7),
                                           row("retrained", Control::retrained, 0.2, 0.1, 0.3), 1);
  EXPECT_DOUBLE_EQ(seen.difference, 0.3);
  EXPECT_NEAR(seen.lower, 0.3 - std::sqrt(0.02), 1e-15);
  EXPECT_NEAR(seen.upper, 0.3 + std::sqrt(0.05), 1e-15);
}

TEST(Discriminate, WithoutIntervalsThereIsNoVerdict) {
  const double nan = std::nan("");
  const Discrimination seen = discriminate(row("o", Control::original, 0.5, nan, nan),
                                           row("r", Control::retrained, 0.2, 0.1, 0.3), 1);
  EXPECT_TRUE(std::isnan(seen.lower));
  EXPECT_TRUE(std::isnan(seen.upper));
}

// Differences {1, 0}: resamples of two have mean 0, 1/2, 1 with chances 1/4, 1/2, 1/4, so both
// 2.5 % ends are the extremes.
TEST(Discriminate, PairedBootstrapByHand) {
  Row original = row("o", Control::original, 0.5, 0.5, 0.5);
  Row retrained = row("r", Control::retrained, 0, 0, 0);
  original.terms = {1, 0};
  retrained.terms = {0, 0};
  const Discrimination seen = discriminate(original, retrained, 1);
  EXPECT_EQ(seen.lower, 0);
  EXPECT_EQ(seen.upper, 1);
}

// 600 differences of 1 and 0 in turn: mean 1/2, variance 150 / 599; t of 599 degrees is 1.96394.
TEST(Discriminate, ManyPairsByStudent) {
  Row original = row("o", Control::original, 0.5, 0.5, 0.5);
  Row retrained = row("r", Control::retrained, 0, 0, 0);
  for (int i = 0; i < 600; ++i) {
    original.terms.push_back(i % 2);
    retrained.terms.push_back(0);
  }
  const Discrimination seen = discriminate(original, retrained, 1);
  const double half = 1.96394 * std::sqrt(150.0 / 599 / 600);
  EXPECT_NEAR(seen.lower, 0.5 - half, 1e-6);
  EXPECT_NEAR(seen.upper, 0.5 + half, 1e-6);
  // The bootstrap of 500 pairs, scaled to as many, lies within the noise of its 2.5 % quantiles.
  original.terms.resize(500);
  retrained.terms.resize(500);
  const Discrimination drawn = discriminate(original, retrained, 1);
  EXPECT_NEAR((drawn.upper - drawn.lower) * std::sqrt(500.0 / 600), 2 * half, 0.2 * half);
}

TEST(Discriminate, PairsRowsAndLeavesOutUndefinedOnes) {
  Row original = row("o", Control::original, 0.5, 0, 1);
  Row retrained = row("r", Control::retrained, 0.25, 0, 1);
  // Rows differ much, their differences not at all: only pairing sees it.
  original.terms = {0.25, 1.25, std::nan(""), 9};
  retrained.terms = {0, 1, 5, std::nan("")};
  const Discrimination seen = discriminate(original, retrained, 1);
  EXPECT_EQ(seen.lower, 0.25);
  EXPECT_EQ(seen.upper, 0.25);
  original.terms.assign(4, std::nan(""));
  EXPECT_TRUE(std::isnan(discriminate(original, retrained, 1).lower));
}

TEST(Setting, IsWhatMakesRowsComparable) {
  Row made = row("o", Control::none, 0, 0, 0);
  made.settings = {{"models", 20}, {"halves", true}, {"mode", "exact"}};
  made.facts = {{"delta", 1e-5}};
  EXPECT_EQ(setting(made), "models=20;halves=true;mode=\"exact\";");
  EXPECT_EQ(setting(row("o", Control::none, 0, 0, 0)), "");
}

TEST(FillReferences, TheSameMetricAndSettingOnRetrained) {
  std::vector<Row> rows = {row("unlearned/ft", Control::none, 0.3, 0, 1),
                           row("retrained", Control::retrained, 0.7, 0, 1),
                           row("unlearned/ft", Control::none, 0.3, 0, 1),
                           row("unlearned/ft", Control::none, 0.3, 0, 1)};
  rows[2].metric = "epsilon.median";
  rows[3].settings["models"] = 5;
  fill_references(rows);
  EXPECT_EQ(rows[0].reference, 0.7);
  EXPECT_TRUE(std::isnan(rows[1].reference)) << "retrained is not its own reference";
  EXPECT_TRUE(std::isnan(rows[2].reference));
  EXPECT_TRUE(std::isnan(rows[3].reference));
}

TEST(FillReferences, TheRetrainedModelOfTheSameNameElseTheFirst) {
  std::vector<Row> rows = {row("unlearned/ft/1", Control::none, 0.3, 0, 1),
                           row("original/9", Control::original, 0.2, 0, 1),
                           row("retrained/0", Control::retrained, 0.6, 0, 1),
                           row("retrained/1", Control::retrained, 0.7, 0, 1)};
  fill_references(rows);
  EXPECT_EQ(rows[0].reference, 0.7);
  EXPECT_EQ(rows[1].reference, 0.6);
}

TEST(FillReferences, AnUndefinedFloorIsNoReference) {
  std::vector<Row> rows = {row("unlearned/ft", Control::none, 0.3, 0, 1),
                           row("retrained", Control::retrained, std::nan(""), 0, 1)};
  fill_references(rows);
  EXPECT_TRUE(std::isnan(rows[0].reference));
}

TEST(JudgeControls, MarksWhatCannotTellOriginalFromRetrained) {
  std::vector<Row> rows = {row("unlearned/ft", Control::none, 0.3, 0.2, 0.4),
                           row("unlearned/old", Control::none, std::nan(""), 0, 0),
                           row("original", Control::original, 0.5, 0.4, 0.6),
                           row("retrained", Control::retrained, 0.55, 0.45, 0.65)};
  rows[0].notes = {result::reason(result::Code::message, "before")};
  rows[1].status = Status::undefined;
  const auto remarks = judge_controls(rows, 1);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].cause, result::Cause::cannot_tell);
  EXPECT_TRUE(
      holds(words::text(remarks[0].reason),
            {"epsilon.f_score cannot tell the original model (0.5) from the retrained model (0.55)",
             "contains 0", "noise"}));
  EXPECT_EQ(rows[0].status, Status::unreliable);
  ASSERT_EQ(rows[0].notes.size(), 2U);
  EXPECT_EQ(rows[0].notes[1].code, result::Code::cannot_tell_original);
  EXPECT_EQ(rows[1].status, Status::undefined) << "undefined stays undefined";
  EXPECT_EQ(rows[2].status, Status::ok) << "controls are not marked";
}

TEST(JudgeControls, LeavesGoodMetricsAlone) {
  std::vector<Row> rows = {row("unlearned/ft", Control::none, 0.3, 0.2, 0.4),
                           row("original", Control::original, 0.1, 0.05, 0.15),
                           row("retrained", Control::retrained, 0.9, 0.85, 0.95)};
  EXPECT_TRUE(judge_controls(rows, 1).empty());
  EXPECT_EQ(rows[0].status, Status::ok);
  EXPECT_TRUE(rows[0].notes.empty());
}

// Measured on real pools: with few models original scored better than retrained or next to it.
TEST(JudgeControls, MarksTheWrongWayRound) {
  std::vector<Row> rows = {row("unlearned/ft", Control::none, 0.3, 0.2, 0.4),
                           row("original", Control::original, 0.9, 0.85, 0.95),
                           row("retrained", Control::retrained, 0.1, 0.05, 0.15)};
  const auto remarks = judge_controls(rows, 1);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].cause, result::Cause::wrong_way);
  EXPECT_TRUE(holds(words::text(remarks[0].reason),
                    {"rates the original model (0.9) better than the retrained model (0.1)"}));
  EXPECT_EQ(rows[0].status, Status::unreliable);
}

TEST(JudgeControls, AMetricThatDoesNotShowForgettingIsNotJudged) {
  std::vector<Row> rows = {row("unlearned/ft", Control::none, 0.3, 0.2, 0.4),
                           row("original", Control::original, 0.5, 0.4, 0.6),
                           row("retrained", Control::retrained, 0.5, 0.4, 0.6)};
  for (Row& made : rows) made.metric = "utility.accuracy.test";
  EXPECT_TRUE(judge_controls(rows, 1).empty());
  EXPECT_EQ(rows[0].status, Status::ok);
}

TEST(JudgeControls, OtherSettingsKeepTheirVerdict) {
  std::vector<Row> rows = {row("unlearned/ft", Control::none, 0.3, 0.2, 0.4),
                           row("unlearned/ft", Control::none, 0.3, 0.2, 0.4),
                           row("original", Control::original, 0.5, 0.4, 0.6),
                           row("retrained", Control::retrained, 0.5, 0.4, 0.6)};
  for (const std::size_t index : {0UL, 2UL, 3UL}) rows[index].settings["alpha"] = 0.1;
  rows[1].settings["alpha"] = 0.2;
  judge_controls(rows, 1);
  EXPECT_EQ(rows[0].status, Status::unreliable);
  EXPECT_EQ(rows[1].status, Status::ok);
}

// A retrained control exists at half the models only; what fails there holds for the full pools
// too.
TEST(JudgeControls, HalvesSpeakForTheWholePool) {
  std::vector<Row> rows = {row("unlearned/ft", Control::none, 0.3, 0.2, 0.4),
                           row("original", Control::original, 0.5, 0.4, 0.6),
                           row("retrained", Control::retrained, 0.5, 0.4, 0.6)};
  rows[0].settings = {{"models", 40}, {"halves", false}};
  for (const std::size_t index : {1UL, 2UL})
    rows[index].settings = {{"models", 20}, {"halves", true}};
  const auto remarks = judge_controls(rows, 1);
  EXPECT_TRUE(holds(words::text(remarks.at(0).reason), {"epsilon.f_score (N=20)"}));
  EXPECT_EQ(rows[0].status, Status::unreliable);
}

TEST(JudgeControls, TellsTheRoomBetweenNothingAndPerfect) {
  std::vector<Row> rows = {row("original", Control::original, 0.084, 0.08, 0.09),
                           row("retrained", Control::retrained, 0.118, 0.11, 0.12)};
  for (Row& made : rows) made.settings = {{"models", 20}, {"halves", true}};
  const auto remarks = judge_controls(rows, 1);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_TRUE(
      holds(words::text(remarks[0].reason), {"(N=20)", "0.084", "0.118", "between the two"}));
}

TEST(JudgeControls, AConstantPredictorThatWinsIsTold) {
  std::vector<Row> rows = {row("constant_predictor", Control::constant, 0.95, 0.9, 1),
                           row("original", Control::original, 0.1, 0.05, 0.15),
                           row("retrained", Control::retrained, 0.9, 0.85, 0.95)};
  const auto remarks = judge_controls(rows, 1);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_TRUE(
      holds(words::text(remarks[0].reason), {"constant predictor", "0.95", "0.9", "accuracies"}));
}

// The final score is F times accuracies: where F cannot tell original from retrained, neither can
// it.
TEST(JudgeControls, WhatIsMadeOfAFailedMetricFailsToo) {
  std::vector<Row> rows = {row("original", Control::original, 0.5, 0.3, 0.7),
                           row("retrained", Control::retrained, 0.5, 0.3, 0.7),
                           row("unlearned/a", Control::none, 0.4, 0.3, 0.5)};
  Row made = rows[2];
  made.metric = "epsilon.final_score";
  Row other = rows[2];
  other.metric = "epsilon.median";
  rows.push_back(made);
  rows.push_back(other);
  judge_controls(rows, 1);
  EXPECT_EQ(rows[2].status, Status::unreliable);
  EXPECT_EQ(rows[3].status, Status::unreliable);
  EXPECT_TRUE(holds(words::text(rows[3].notes),
                    {"computed from epsilon.f_score", "cannot tell the original"}));
  EXPECT_EQ(rows[4].status, Status::ok);
}

TEST(Ranges, IntervalsEndWhereValuesDo) {
  const metrics::Estimate accuracy =
      metrics::within("utility.accuracy.test", {.value = 0.9, .lower = -0.2, .upper = 1.3});
  EXPECT_EQ(accuracy.lower, 0);
  EXPECT_EQ(accuracy.upper, 1);
  EXPECT_EQ(metrics::within("utility.gap.test", {0.1, -0.3, 0.5}).lower, 0);
  EXPECT_EQ(metrics::within("iam.online.bce", {1.5, -1, 4}).upper, 4);
  EXPECT_TRUE(std::isnan(metrics::within("utility.gap.test", {0.1}).lower));
  EXPECT_EQ(metrics::within("no.such.metric", {0, -9, 9}).lower, -9);
  for (const metrics::Family& family : metrics::families()) {
    for (const metrics::MetricInfo& info : family.metrics) {
      const metrics::Range range = metrics::range_of(info.id);
      EXPECT_LT(range.least, range.most) << info.id;
      if (std::isnan(info.ideal)) continue;
      EXPECT_LE(range.least, info.ideal) << info.id;
      EXPECT_GE(range.most, info.ideal) << info.id;
    }
    for (const auto& [beginning, range] : family.ranges) {
      EXPECT_TRUE(beginning.starts_with(family.name)) << beginning;
    }
  }
}

// Rows differ by hundreds of times what the models differ by: the two gaps apart are noise, row by
// row the original is 0.10, 0.11, 0.09 and 0.10 surer of forgotten rows and as sure of unseen ones.
// Standard error of the mean of those four: 0.00816 / 2.
TEST(JudgeControls, GapsToUnseenRowsArePairedByRow) {
  const auto strata = std::make_shared<const metrics::Strata>(metrics::one_stratum(4, 4));
  const auto gap_row = [&](const std::string& model, Control control,
                           const std::vector<double>& more) {
    Matrix target(1, 4), unseen(1, 4);
    const double own[] = {1, 40, -30, 9};
    for (std::size_t i = 0; i < 4; ++i) {
      target(0, i) = own[i] + more[i];
      unseen(0, i) = own[3 - i];
    }
    Row made = row(model, control, 0, -50, 50);
    made.metric = "holdout_gap.loss";
    made.direction = metrics::Direction::lower;
    auto contrasted = std::make_shared<metrics::Contrast>(contrast(target, unseen, strata));
    made.value = metrics::gap(*contrasted).estimate;
    made.contrast = contrasted;
    return made;
  };
  std::vector<Row> rows = {
      gap_row("original/0", Control::original, {0.10, 0.11, 0.09, 0.10}),
      gap_row("retrained/0", Control::retrained, {0, 0, 0, 0}),
      gap_row("unlearned/finetune/0", Control::none, {0.10, 0.11, 0.09, 0.10})};
  EXPECT_TRUE(judge_controls(rows, 1).empty());
  EXPECT_EQ(rows[2].status, Status::ok);
  const double lower = rows[0].facts.at("beyond_retrained_lower").get<double>();
  const double upper = rows[0].facts.at("beyond_retrained_upper").get<double>();
  EXPECT_NEAR(0.5 * (lower + upper), 0.1, 1e-12);
  EXPECT_GT(lower, 0.1 - 12.8 * 0.0041);  // t of one degree of freedom at most
  EXPECT_GT(lower, 0);
  // An original that is surer of two forgotten rows and as much less sure of two others is noise.
  rows = {gap_row("original/0", Control::original, {0.1, -0.1, 0.1, -0.1}),
          gap_row("retrained/0", Control::retrained, {0, 0, 0, 0}),
          gap_row("unlearned/finetune/0", Control::none, {0.10, 0.11, 0.09, 0.10})};
  EXPECT_EQ(judge_controls(rows, 1).size(), 1U);
  EXPECT_EQ(rows[2].status, Status::unreliable);
}

}  // namespace
}  // namespace vestige::audit
