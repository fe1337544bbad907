// The controls' table on rows made by hand.
#include "vestige/study/controls_table.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/study/study_rows.h"
#include "vestige/study/inherit_controls.h"
#include "vestige/study/results_table.h"
#include "vestige/words/words.h"

namespace vestige::study {
namespace {

using result::Code;
using result::reason;

constexpr const char* kMetric = "iam.online.bce";  // lower is better, shows forgetting

/// One split: original, two grades, retrained, a constant predictor and a method.
void add_split(std::vector<StudyRow>& rows, std::uint64_t seed, double original, double quarter,
               double half, double retrained, metrics::Status status = metrics::Status::ok) {
  const auto add = [&](const std::string& model, double value, metrics::Status own) {
    rows.push_back(make({.model = model,
                         .value = value,
                         .metric = kMetric,
                         .split_seed = seed,
                         .half_width = 0.05,
                         .status = own}));
  };
  add("unlearned/finetune/0", 0.7, status);
  add("partial/50/0", half, metrics::Status::ok);  // not in order of removal
  add("partial/25/0", quarter, metrics::Status::ok);
  add("original/0", original, metrics::Status::ok);
  add("retrained/0", retrained, metrics::Status::ok);
  add("constant_predictor/0", 0.4, metrics::Status::ok);
}

TEST(ControlsTable, AGoodMetricPasses) {
  std::vector<StudyRow> rows;
  add_split(rows, 1, 0.90, 0.80, 0.65, 0.50);
  add_split(rows, 2, 0.80, 0.72, 0.60, 0.55);
  add_split(rows, 3, 0.85, 0.76, 0.66, 0.45);
  const std::vector<ControlRow> table = controls_table(rows);
  ASSERT_EQ(table.size(), 1u);
  const ControlRow& row = table[0];
  EXPECT_EQ(row.verdict, ControlVerdict::passed) << words::text(row.reason);
  EXPECT_EQ(row.reason, reason(Code::original_shown_worse, 3));
  EXPECT_EQ(row.replicates, 3u);
  EXPECT_NEAR(row.retrained.value, 0.5, 1e-12);
  // t interval by hand: sd 0.05, n = 3, t(0.975, 2) = 4.302653.
  EXPECT_NEAR(row.retrained.upper, 0.5 + 4.302653 * 0.05 / std::sqrt(3.0), 1e-6);
  EXPECT_NEAR(row.original.value, 0.85, 1e-12);
  EXPECT_DOUBLE_EQ(row.power, 1);
  EXPECT_EQ(row.pairs, 3u);
  // One model of each role per split: differences .4 .25 .4, mean .35, variance .0075.
  EXPECT_NEAR(row.d_prime, 0.35 / std::sqrt(0.0075 / 2), 1e-9);
  ASSERT_EQ(row.graded.values.size(), 2u);
  EXPECT_EQ(row.graded.values[0].name, "partial/25");
  ASSERT_EQ(row.graded.steps.size(), 3u);
  EXPECT_EQ(row.graded.steps[0].from, "original");
  EXPECT_EQ(row.graded.steps[2].to, "retrained");
  EXPECT_NEAR(row.graded.steps[0].gain, (0.10 + 0.08 + 0.09) / 3, 1e-12);
  EXPECT_LT(row.graded.steps[0].p_better, 0.01);
  // The two grades alone: gains .15 .12 .10, t by hand, and the distribution function of t with two
  // degrees of freedom, (1 + t / sqrt(t^2 + 2)) / 2.
  ASSERT_EQ(row.graded.between.size(), 1u);
  const double t = (0.37 / 3) / (std::sqrt(0.0019 / 3) / std::sqrt(3.0));
  EXPECT_NEAR(row.graded.between[0].p_better, (1 - t / std::sqrt(t * t + 2)) / 2, 1e-9);
  EXPECT_EQ(row.graded.in_order, true);
  EXPECT_EQ(row.graded.ordered_replicates, 3u);
  EXPECT_DOUBLE_EQ(row.unreliable, 0);
  EXPECT_TRUE(row.fooled);  // the constant predictor has 0.4, retrained 0.5
  const result::Reasons reasons = failed_controls(table);
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0], reason(Code::constant_as_good_in_variant, kMetric, "main",
                               row.constant.value, row.retrained.value));
}

TEST(ControlsTable, AMetricThatCannotTellFails) {
  std::vector<StudyRow> rows;
  add_split(rows, 1, 0.52, 0.50, 0.51, 0.50);
  add_split(rows, 2, 0.49, 0.52, 0.51, 0.51);
  add_split(rows, 3, 0.50, 0.48, 0.50, 0.50);
  const ControlRow row = controls_table(rows)[0];
  EXPECT_EQ(row.verdict, ControlVerdict::failed);
  EXPECT_EQ(row.reason.code, Code::original_not_shown_worse) << words::text(row.reason);
  // Pairs: .52 > .50 wins, .49 < .51 loses, .50 = .50 is one half.
  EXPECT_NEAR(row.power, 0.5, 1e-12);
}

TEST(ControlsTable, TheAuditsMarksDecideWithFewReplicates) {
  std::vector<StudyRow> rows;
  add_split(rows, 1, 0.9, 0.8, 0.6, 0.5, metrics::Status::unreliable);
  EXPECT_EQ(controls_table(rows)[0].verdict, ControlVerdict::failed);
  add_split(rows, 2, 0.9, 0.8, 0.6, 0.5);
  EXPECT_DOUBLE_EQ(controls_table(rows)[0].unreliable, 0.5);
  EXPECT_EQ(controls_table(rows)[0].verdict, ControlVerdict::passed);
}

TEST(ControlsTable, AReversedGradeFails) {
  std::vector<StudyRow> rows;
  add_split(rows, 1, 0.80, 0.90, 0.65, 0.50);
  add_split(rows, 2, 0.82, 0.93, 0.60, 0.55);
  add_split(rows, 3, 0.81, 0.90, 0.66, 0.45);
  const ControlRow row = controls_table(rows)[0];
  EXPECT_EQ(row.verdict, ControlVerdict::failed);
  ASSERT_EQ(row.reason.code, Code::worse_with_more_removed) << words::text(row.reason);
  EXPECT_EQ(argument(row.reason, "from"), result::Argument(0.0));
  EXPECT_EQ(argument(row.reason, "to"), result::Argument(25.0));
  EXPECT_EQ(row.graded.in_order, false);
  EXPECT_EQ(row.graded.ordered_replicates, 0u);
}

TEST(ControlsTable, PowerCountsPairsWithinASplit) {
  // Split 1: originals .9 .6, retrained .5 .7: 3 of 4 pairs; split 2: .6 against .5. Together 4
  // / 5.
  std::vector<StudyRow> rows;
  const auto add = [&](const std::string& model, double value, std::uint64_t split) {
    rows.push_back(make({.model = model, .value = value, .metric = kMetric, .split_seed = split}));
  };
  add("original/0", 0.9, 1);
  add("original/1", 0.6, 1);
  add("retrained/0", 0.5, 1);
  add("retrained/1", 0.7, 1);
  add("original/0", 0.6, 2);
  add("retrained/0", 0.5, 2);
  const ControlRow row = controls_table(rows)[0];
  EXPECT_EQ(row.pairs, 5u);
  EXPECT_NEAR(row.power, 0.8, 1e-12);
  // Within: original .045, retrained .02 on one degree of freedom each; differences .15 and .1.
  EXPECT_NEAR(row.d_prime, 0.125 / std::sqrt((0.045 + 0.02) / 2), 1e-9);
}

TEST(ControlsTable, MissingControlsAndMetricsOfUtilityAreNotTestable) {
  const std::vector<ControlRow> one =
      controls_table({make({.model = "original/0", .value = 1, .metric = kMetric})});
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].verdict, ControlVerdict::not_testable);
  EXPECT_EQ(one[0].reason.code, Code::no_retrained_in_setting);
  const std::vector<ControlRow> tpr =
      controls_table(make_all({{.model = "original/0", .value = 1, .metric = "iam.online.tpr"},
                               {.model = "retrained/0", .value = 1, .metric = "iam.online.tpr"}}));
  EXPECT_EQ(tpr[0].reason.code, Code::not_meant_to_discriminate);
  EXPECT_TRUE(controls_table({make({.model = "unlearned/a/0", .value = 1})}).empty());
}

// F and its final score as an audit has them: the retrained control exists at half the models only.
std::vector<StudyRow> pooled(double original, double retrained, metrics::Status status) {
  const Json halves = {{"models", 4}, {"halves", true}};
  const Json whole = {{"models", 8}, {"halves", false}};
  std::vector<StudyRow> rows;
  const auto add = [&](const std::string& model, double value, const std::string& metric,
                       const Json& params, metrics::Status own) {
    rows.push_back(make({.model = model,
                         .value = value,
                         .metric = metric,
                         .direction = metrics::Direction::higher,
                         .half_width = 0.05,
                         .status = own,
                         .params = params}));
  };
  add("unlearned/a", 0.3, "epsilon.f_score", whole, status);
  add("unlearned/a", 0.3, "epsilon.final_score", whole, metrics::Status::ok);
  add("original", original, "epsilon.f_score", halves, metrics::Status::ok);
  add("retrained", retrained, "epsilon.f_score", halves, metrics::Status::ok);
  return rows;
}

const ControlRow& row_of(const std::vector<ControlRow>& table, const std::string& metric,
                         std::string_view part) {
  for (const ControlRow& row : table) {
    if (row.measure.metric == metric && row.measure.setting.find(part) != std::string::npos) {
      return row;
    }
  }
  ADD_FAILURE() << metric << " " << part;
  return table.front();
}

TEST(ControlsTable, FailuresReachSettingsWithoutAFloorAndWhatIsMadeOfThem) {
  const std::vector<StudyRow> rows = pooled(0.5, 0.5, metrics::Status::unreliable);
  const std::vector<ControlRow> table = controls_table(rows);
  EXPECT_EQ(row_of(table, "epsilon.f_score", "halves=false").verdict, ControlVerdict::failed);
  const ControlRow& made = row_of(table, "epsilon.final_score", "halves=false");
  EXPECT_EQ(made.verdict, ControlVerdict::failed);
  ASSERT_EQ(made.reason.code, Code::made_of_failed_metric) << words::text(made.reason);
  EXPECT_EQ(argument(made.reason, "metric"),
            result::Argument(label(row_of(table, "epsilon.f_score", "halves=false").measure)));
  std::vector<StudyRow> marked = rows;
  mark_failed(marked, table);
  EXPECT_EQ(marked[1].row.status, metrics::Status::unreliable);
  EXPECT_EQ(marked[1].row.notes.back(), reason(Code::failed_controls_in_experiment, made.reason));
  EXPECT_EQ(marked[2].row.status, metrics::Status::ok);  // controls are not marked
  const std::vector<ControlRow> good = controls_table(pooled(0.1, 0.9, metrics::Status::ok));
  EXPECT_EQ(row_of(good, "epsilon.final_score", "halves=false").verdict,
            ControlVerdict::not_testable);
}

TEST(ControlsTable, ReasonsNameTheirVariantAndNoReplicatesAreNotCounted) {
  // No block has all of original, grade and retrained: their means are not in order, which nobody
  // counted.
  const std::vector<ControlRow> table = controls_table(
      make_all({{.model = "original/0", .value = 0.5, .metric = kMetric, .half_width = 0.01},
                {.model = "partial/50/1", .value = 0.9, .metric = kMetric, .half_width = 0.01},
                {.model = "retrained/0", .value = 0.3, .metric = kMetric, .half_width = 0.01}}));
  const result::Reasons reasons = failed_controls(table);
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(reasons[0], reason(Code::grades_not_in_order, kMetric, "main", 0, 0));
  const std::string text = words::text(reasons[0]);
  EXPECT_EQ(text.find("0 of 0"), std::string::npos) << text;
}

TEST(ControlsTable, TwoValuesGiveNoEffectSize) {
  // Two splits with one model of each role: the spread of two differences is no spread.
  const std::vector<ControlRow> table = controls_table(
      make_all({{.model = "original/0", .value = 0.9, .metric = kMetric, .split_seed = 1},
                {.model = "retrained/0", .value = 0.5, .metric = kMetric, .split_seed = 1},
                {.model = "original/0", .value = 0.8, .metric = kMetric, .split_seed = 2},
                {.model = "retrained/0", .value = 0.5, .metric = kMetric, .split_seed = 2}}));
  EXPECT_TRUE(std::isnan(table[0].d_prime));
  EXPECT_DOUBLE_EQ(table[0].power, 1);
}

TEST(ResultsTable, IntervalsOfAccuraciesEndAtOne) {
  // 0.9 and 1 on one degree of freedom: 0.95 +- 12.7 * 0.05.
  const std::vector<MethodResult> table = results_table(
      make_all({{.model = "unlearned/a/0", .value = 0.9, .metric = "utility.accuracy.test"},
                {.model = "unlearned/a/1", .value = 1, .metric = "utility.accuracy.test"}}));
  EXPECT_NEAR(table[0].value.lower, 0.95 - 12.706205 * 0.05, 1e-6);
  EXPECT_EQ(table[0].value.upper, 1);
}

TEST(ResultsTable, MeansOverBlocksOfMeansWithinThem) {
  // Block (1, 0): runs 0.2 and 0.4; block (1, 1): 0.6. Mean of 0.3 and 0.6.
  const std::vector<MethodResult> table = results_table(make_all({
      {.model = "unlearned/a/0", .value = 0.2},
      {.model = "unlearned/a/0.1", .value = 0.4},
      {.model = "unlearned/a/1", .value = 0.6, .status = metrics::Status::unreliable},
      {.model = "retrained/0", .value = 0.5, .half_width = 0.1},
  }));
  ASSERT_EQ(table.size(), 2u);
  EXPECT_EQ(table[0].n, 2u);
  EXPECT_NEAR(table[0].value.value, 0.45, 1e-12);
  EXPECT_EQ(table[0].interval.code, Code::t_over_blocks);
  EXPECT_NEAR(table[0].unreliable, 1.0 / 3, 1e-12);
  EXPECT_FALSE(table[0].control);
  EXPECT_TRUE(table[1].control);
  EXPECT_NEAR(table[1].value.lower, 0.4, 1e-12);  // one block: the row's own interval
}

}  // namespace
}  // namespace vestige::study
