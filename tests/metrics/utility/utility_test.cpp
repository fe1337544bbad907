// Accuracies, gaps and combined scores, by hand.
#include "vestige/metrics/utility/utility.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/metrics/support/measured.h"
#include "tests/support/small_evidence.h"
#include "vestige/metrics/inputs/accuracy.h"

namespace vestige::metrics {
namespace {

using evidence::Array;
using evidence::DType;
using evidence::Evidence;
using evidence::Group;
using evidence::Model;
using testing::array_of;

constexpr std::size_t kRows = 10;

/// Ten rows of label 0 of which the first `right` are predicted right.
Array outputs(std::size_t right) {
  std::vector<double> values;
  for (std::size_t row = 0; row < kRows; ++row) {
    values.push_back(row < right ? 1 : 0);
    values.push_back(row < right ? 0 : 1);
  }
  return array_of(DType::float32, values, {kRows, 2});
}

/// How many of ten rows each model gets right.
struct Right {
  std::size_t retain, test, forget;
};

Group group(const std::string& role, const std::string& method, const std::vector<Right>& models) {
  Group made{role, method, {}};
  for (std::size_t index = 0; index < models.size(); ++index) {
    Model model;
    model.role = role;
    model.method = method;
    model.name = std::to_string(index);
    model.outputs["retain"] = outputs(models[index].retain);
    model.outputs["test"] = outputs(models[index].test);
    model.outputs["forget"] = outputs(models[index].forget);
    made.models.push_back(std::move(model));
  }
  return made;
}

Evidence evidence_of(std::vector<Group> groups) {
  Evidence made;
  made.classes = 2;
  made.groups = std::move(groups);
  for (const char* split : {"retain", "test", "forget"}) {
    made.labels[split] = std::vector<std::int64_t>(kRows, 0);
  }
  return made;
}

Models pointers(const Evidence& evidence, const char* role, const char* method = "") {
  Models models;
  if (const Group* found = evidence.find(role, method)) {
    for (const Model& model : found->models) models.push_back(&model);
  }
  return models;
}

std::map<std::string, Row> measure(const Evidence& evidence, const char* role,
                                   const char* method = "") {
  Comparison comparison;
  comparison.evidence = &evidence;
  comparison.subject = {role, {}, {}};
  comparison.candidate = pointers(evidence, role, method);
  const bool retrained = role == std::string("retrained");
  if (!retrained) comparison.retrained = pointers(evidence, "retrained");
  comparison.original = pointers(evidence, "original");
  comparison.control = retrained ? Control::retrained : Control::none;
  Progress progress(ProgressStyle::quiet, "test", 1);
  std::map<std::string, Row> rows;
  for (Row& row : measured(utility_family(), comparison, {}).rows) {
    rows[row.metric] = std::move(row);
  }
  return rows;
}

const Evidence& pools() {
  static const Evidence made = evidence_of({group("original", "", {{10, 10, 10}, {10, 8, 10}}),
                                            group("retrained", "", {{10, 7, 4}, {8, 7, 2}}),
                                            group("unlearned", "ft", {{9, 8, 7}, {9, 6, 7}})});
  return made;
}

// numpy's and torch's argmax take the first of equals.
TEST(CorrectRows, TiesCountForTheLowestClass) {
  const Array tied = array_of(DType::float32, {5, 5, 1, 2, 2, 1}, {3, 2});
  EXPECT_EQ(correct_rows(Context(), tied, std::vector<std::int64_t>{0, 1, 1}),
            (std::vector<double>{1, 1, 0}));
  EXPECT_EQ(correct_rows(Context(), tied, std::vector<std::int64_t>{1, 0, 0}),
            (std::vector<double>{0, 0, 1}));
  EXPECT_TRUE(testing::holds(
      testing::error_of([&] { correct_rows(Context(), tied, std::vector<std::int64_t>{0}); }),
      {"3 rows", "1 labels"}));
}

TEST(Accuracies, FromOutputsElseFromTheFile) {
  Evidence evidence = pools();
  EXPECT_EQ(accuracies(Context(), evidence, pointers(evidence, "unlearned", "ft"), "test"),
            (std::vector<double>{0.8, 0.6}));
  EXPECT_TRUE(accuracies(Context(), evidence, pointers(evidence, "original"), "train").empty());
  evidence.accuracy["original"]["train"] = {0.25, 0.75};
  Models one = {pointers(evidence, "original")[1]};
  EXPECT_EQ(accuracies(Context(), evidence, one, "train"), (std::vector<double>{0.75}))
      << "by its place";
  evidence.accuracy["original"]["test"] = {0, 0};
  EXPECT_EQ(accuracies(Context(), evidence, one, "test"), (std::vector<double>{0.8}))
      << "outputs come first";
}

TEST(Scores, TugOfWarAndAdaptiveUnlearningScore) {
  EXPECT_DOUBLE_EQ(tug_of_war(std::vector<double>{0.1, 0.05, 0}), 0.9 * 0.95);
  EXPECT_EQ(tug_of_war(std::vector<double>{}), 1);
  EXPECT_DOUBLE_EQ(adaptive_unlearning_score(0.9, 0.8, 1.0), 0.9 / 1.2);
  EXPECT_DOUBLE_EQ(adaptive_unlearning_score(0.9, 0.8, 0.6), 0.9 / 1.2) << "either side of test";
  EXPECT_DOUBLE_EQ(adaptive_unlearning_score(0.9, 0.8, 0.6, 0), 0.9 / 1.6) << "whole classes";
}

// Class 1 is forgotten. Ten test rows, the last four of class 1: the model gets the first eight
// rows right by saying 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, which is 6 of 6 and 2 of 4.
TEST(Utility, TestAccuracyApartForKeptAndForgottenClasses) {
  Evidence evidence = pools();
  evidence.labels["forget"].assign(kRows, 1);
  evidence.labels["test"] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
  std::vector<double> logits;
  for (const int answer : {0, 0, 0, 0, 0, 0, 1, 1, 0, 0}) {
    logits.push_back(answer == 0 ? 1 : 0);
    logits.push_back(answer == 0 ? 0 : 1);
  }
  for (Group& made : evidence.groups) {
    if (made.method != "ft") continue;
    for (Model& model : made.models) {
      model.outputs["test"] = array_of(DType::float32, logits, {kRows, 2});
    }
  }
  const auto rows = measure(evidence, "unlearned", "ft");
  EXPECT_DOUBLE_EQ(rows.at("utility.accuracy.test").value, 0.8);
  EXPECT_DOUBLE_EQ(rows.at("utility.accuracy.test.kept_classes").value, 1.0);
  EXPECT_DOUBLE_EQ(rows.at("utility.accuracy.test.forgotten_classes").value, 0.5);
  // One row of the class in retain: a part of it was forgotten, and nothing is told apart.
  evidence.labels["retain"].back() = 1;
  EXPECT_EQ(measure(evidence, "unlearned", "ft").count("utility.accuracy.test.kept_classes"), 0U);
}

TEST(Utility, PoolsByHand) {
  const auto rows = measure(pools(), "unlearned", "ft");
  EXPECT_DOUBLE_EQ(rows.at("utility.accuracy.retain").value, 0.9);
  EXPECT_DOUBLE_EQ(rows.at("utility.accuracy.test").value, 0.7);
  EXPECT_DOUBLE_EQ(rows.at("utility.accuracy.forget").value, 0.7);
  EXPECT_NEAR(rows.at("utility.gap.retain").value, 0, 1e-15);
  EXPECT_NEAR(rows.at("utility.gap.test").value, 0, 1e-15);
  EXPECT_DOUBLE_EQ(rows.at("utility.gap.forget").value, 0.4);
  EXPECT_NEAR(rows.at("utility.average_gap").value, 0.4 / 3, 1e-15);
  EXPECT_NEAR(rows.at("utility.tug_of_war").value, 0.6, 1e-15);
  // Original on test: 0.9; ft 0.7 on test and forget.
  EXPECT_NEAR(rows.at("utility.aus").value, 0.8, 1e-15);
  EXPECT_EQ(rows.count("utility.relative_time"), 0U);
}

// Class 1 is forgotten as a whole: of the test rows those of class 0 count, and forget accuracy
// should be 0. By hand: original right on 4 of 5 kept test rows, the method on 3; 2 of 10 forget
// rows: (1 - (0.8 - 0.6)) / (1 + 0.2).
TEST(Utility, AdaptiveScoreOfForgottenClasses) {
  Evidence evidence =
      evidence_of({group("original", "", {{10, 4, 10}}), group("retrained", "", {{10, 5, 0}}),
                   group("unlearned", "ft", {{10, 3, 2}})});
  evidence.labels["test"] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
  evidence.labels["forget"] = std::vector<std::int64_t>(kRows, 1);
  // Rows that are not "right" here are predicted as class 1: 2 of 10 right means 8 answers of 0.
  for (Group& each : evidence.groups) {
    each.models[0].outputs["forget"] = outputs(each.role == "unlearned" ? 8 : 10);
  }
  const Row row = measure(evidence, "unlearned", "ft").at("utility.aus");
  EXPECT_NEAR(row.value, 0.8 / 1.2, 1e-15);
  EXPECT_EQ(row.facts.at("target"), 0);
}

// Standard error 0.1 with one degree of freedom: t(0.975, 1) = 12.7062 (tables).
TEST(Utility, IntervalsOverModels) {
  const auto rows = measure(pools(), "unlearned", "ft");
  const Row& accuracy = rows.at("utility.accuracy.test");  // {0.8, 0.6}: 0.7 +- 1.27, clamped
  EXPECT_EQ(accuracy.lower, 0);
  EXPECT_EQ(accuracy.upper, 1);
  EXPECT_EQ(accuracy.n, 2U);
  const Row& gap = rows.at("utility.gap.forget");  // 0.4 +- 1.27062, folded at 0
  EXPECT_EQ(gap.lower, 0);
  EXPECT_NEAR(gap.upper, 1.67062, 1e-5);
  EXPECT_EQ(gap.interval.code, Code::welch_over_models_folded);
}

TEST(Utility, OneModelHasIntervalsOverRows) {
  const Evidence evidence =
      evidence_of({group("original", "", {{10, 10, 10}}), group("retrained", "", {{10, 7, 3}}),
                   group("unlearned", "ft", {{9, 7, 7}})});
  const auto rows = measure(evidence, "unlearned", "ft");
  // 7 of 10: the Clopper-Pearson interval of every table.
  const Row& accuracy = rows.at("utility.accuracy.forget");
  EXPECT_NEAR(accuracy.lower, 0.347547, 1e-6);
  EXPECT_NEAR(accuracy.upper, 0.933260, 1e-6);
  EXPECT_EQ(accuracy.n, 10U);
  // Differences of four ones and six zeros: 0.4, sd sqrt(2.4 / 9), t(0.975, 9) = 2.262157.
  const Row& gap = rows.at("utility.gap.forget");
  const double half = 2.262157 * std::sqrt(2.4 / 9 / 10);
  EXPECT_NEAR(gap.value, 0.4, 1e-15);
  EXPECT_NEAR(gap.lower, 0.4 - half, 1e-6);
  EXPECT_NEAR(gap.upper, 0.4 + half, 1e-6);
}

// The gap is a distance: an interval wholly below 0 is folded to the other side.
TEST(Utility, GapsOfWorseModelsAreFolded) {
  const Evidence evidence =
      evidence_of({group("retrained", "", {{10, 7, 7}}), group("unlearned", "ft", {{9, 7, 3}})});
  const Row gap = measure(evidence, "unlearned", "ft").at("utility.gap.forget");
  EXPECT_NEAR(gap.value, 0.4, 1e-15);
  EXPECT_GT(gap.lower, 0);
  EXPECT_LT(gap.lower, 0.4);
  EXPECT_GT(gap.upper, 0.4);
}

// The retrained control: the first half of the retrained models against the second.
TEST(Utility, RetrainedIsComparedWithItself) {
  const auto rows = measure(pools(), "retrained");
  EXPECT_NEAR(rows.at("utility.gap.forget").value, 0.2, 1e-15);
  EXPECT_NEAR(rows.at("utility.gap.retain").value, 0.2, 1e-15);
  EXPECT_NEAR(rows.at("utility.tug_of_war").value, 0.8 * 1 * 0.8, 1e-15);
  EXPECT_DOUBLE_EQ(rows.at("utility.accuracy.forget").value, 0.3) << "of all of them";
  const Evidence one = evidence_of({group("retrained", "", {{10, 7, 3}})});
  EXPECT_EQ(measure(one, "retrained").count("utility.gap.forget"), 0U);
}

TEST(Utility, CombinedScoresNeedAllSplits) {
  Evidence evidence = pools();
  evidence.labels.erase("retain");
  const auto rows = measure(evidence, "unlearned", "ft");
  EXPECT_EQ(rows.count("utility.accuracy.retain"), 0U);
  EXPECT_EQ(rows.count("utility.average_gap"), 0U);
  EXPECT_EQ(rows.count("utility.gap.test"), 1U);
  evidence.accuracy["unlearned/ft"]["retain"] = {0.5, 0.5};
  evidence.accuracy["retrained"]["retain"] = {1, 1};
  EXPECT_DOUBLE_EQ(measure(evidence, "unlearned", "ft").at("utility.gap.retain").value, 0.5);
}

TEST(Utility, SupportSaysWhatIsMissing) {
  EXPECT_TRUE(utility_family().support(pools()).supported);
  EXPECT_TRUE(utility_family().support(pools()).reason.empty());
  const Support alone =
      utility_family().support(evidence_of({group("unlearned", "ft", {{1, 1, 1}})}));
  EXPECT_TRUE(alone.supported);
  EXPECT_EQ(alone.reason,
            reason(Code::without_accuracy_gaps,
                   reason(Code::needs_retrained_model, "retrained/0/{retain,test,forget}.npy")));
  EXPECT_FALSE(utility_family().support(Evidence{}).supported);
  EXPECT_EQ(utility_family().support(Evidence{}).reason.code, Code::needs_outputs);
}

TEST(Registry, RowsTakeDirectionAndIdealFromTheList) {
  Comparison comparison;
  comparison.subject = parse_subject("original");
  comparison.control = Control::original;
  const Row row = make_row("utility.tug_of_war", comparison, {.seed = 9});
  EXPECT_EQ(row.direction, Direction::higher);
  EXPECT_EQ(row.ideal, 1);
  EXPECT_EQ(row.subject.id(), "original");
  EXPECT_EQ(row.control, Control::original);
  EXPECT_EQ(row.seed, 9U);
  EXPECT_TRUE(std::isnan(row.value));
}

}  // namespace
}  // namespace vestige::metrics
