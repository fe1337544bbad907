// Lines over models, by hand.
#include "vestige/study/method_lines.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vestige::study {
namespace {

StudyRow model_row(const char* metric, const char* method, const char* name, double value) {
  StudyRow row{};
  row.row.metric = metric;
  row.row.subject = {"unlearned", method, name};
  row.row.value = value;
  return row;
}

// 0.2, 0.4, 0.9: mean 0.5, standard deviation 0.36056, half-width 4.3027 * 0.36056 / sqrt(3) =
// 0.89567; an accuracy ends at 0 and 1.
TEST(MethodLines, MeanAndIntervalOverModels) {
  const std::vector<StudyRow> rows = {model_row("utility.accuracy.test", "ft", "0", 0.2),
                                      model_row("utility.accuracy.test", "ft", "1", 0.4),
                                      model_row("utility.accuracy.test", "one", "0", 0.7),
                                      model_row("utility.accuracy.test", "ft", "2", 0.9)};
  const auto lines = method_lines(rows);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].row.subject.id(), "unlearned/ft");
  EXPECT_NEAR(lines[0].row.value, 0.5, 1e-12);
  EXPECT_EQ(lines[0].row.lower, 0);
  EXPECT_EQ(lines[0].row.upper, 1);
  EXPECT_EQ(lines[0].row.n, 3U);
  EXPECT_EQ(lines[1].row.subject.id(), "unlearned/one/0");
  EXPECT_EQ(lines_over_models(rows).size(), 1U);
}

// Undefined models are not counted as values.
TEST(MethodLines, CountsDefinedValuesOnly) {
  auto lacking = model_row("sde.otr", "ft", "1", std::nan(""));
  lacking.row.status = metrics::Status::undefined;
  const auto lines = method_lines({model_row("sde.otr", "ft", "0", 0.25), lacking});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].row.n, 1U);
  EXPECT_EQ(lines[0].row.value, 0.25);
  EXPECT_TRUE(std::isnan(lines[0].row.lower));
  ASSERT_EQ(lines[0].row.notes.size(), 1U);
  EXPECT_EQ(lines[0].row.notes[0].code, result::Code::models_without_value);
}

TEST(MethodLines, OneUnreliableModelMakesTheLineUnreliable) {
  auto bad = model_row("iam.online.auc", "ft", "1", 0.5);
  bad.row.status = metrics::Status::unreliable;
  bad.row.notes = {result::reason(result::Code::message, "noise")};
  const auto lines = method_lines({model_row("iam.online.auc", "ft", "0", 0.6), bad});
  EXPECT_EQ(lines[0].row.status, metrics::Status::unreliable);
  EXPECT_EQ(lines[0].row.notes.at(0).code, result::Code::message);
}

// By hand: originals 0.9 and 0.94 against 0.9 are 0.02 more, with an interval over models; a second
// split with 0.96 against 0.9 makes the mean 0.04, and no interval is known for it.
TEST(UtilityDifference, IsTheLineMinusItsReference) {
  std::vector<StudyRow> rows;
  for (const double value : {0.9, 0.94, 0.96}) {
    StudyRow row = model_row("utility.accuracy.test", "", value > 0.9 ? "1" : "0", value);
    row.row.subject.role = "original";
    row.row.control = metrics::Control::original;
    row.row.reference = 0.9;
    row.variant = "a";
    rows.push_back(row);
  }
  rows.back().split_seed = 1;
  const auto of = [&rows](const char* variant) {
    return utility_difference(rows, variant, metrics::Control::original, "test");
  };
  EXPECT_NEAR(of("a").value, 0.04, 1e-12);
  EXPECT_TRUE(std::isnan(of("a").lower));
  EXPECT_TRUE(std::isnan(of("b").value));
  rows.pop_back();
  EXPECT_NEAR(of("a").value, 0.02, 1e-12);
  EXPECT_LT(of("a").lower, 0.02);
  EXPECT_GT(of("a").upper, 0.02);
}

}  // namespace
}  // namespace vestige::study
