// Lines over models, by hand.
#include "vestige/report/method_lines.h"

#include <gtest/gtest.h>

#include <cmath>

namespace vestige::report {
namespace {

study::StudyRow model_row(const char* metric, const char* method, const char* name, double value) {
  study::StudyRow row{};
  row.row.metric = metric;
  row.row.subject = {"unlearned", method, name};
  row.row.value = value;
  return row;
}

// 0.2, 0.4, 0.9: mean 0.5, standard deviation 0.36056, half-width 4.3027 * 0.36056 / sqrt(3) =
// 0.89567; an accuracy ends at 0 and 1.
TEST(MethodLines, MeanAndIntervalOverModels) {
  const std::vector<study::StudyRow> rows = {model_row("utility.accuracy.test", "ft", "0", 0.2),
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
  EXPECT_EQ(lines[0].row.note.find("1 of 2 models have no value"), 0U);
}

TEST(MethodLines, OneUnreliableModelMakesTheLineUnreliable) {
  auto bad = model_row("iam.online.auc", "ft", "1", 0.5);
  bad.row.status = metrics::Status::unreliable;
  bad.row.note = "noise";
  const auto lines = method_lines({model_row("iam.online.auc", "ft", "0", 0.6), bad});
  EXPECT_EQ(lines[0].row.status, metrics::Status::unreliable);
  EXPECT_EQ(lines[0].row.note, "noise");
}

}  // namespace
}  // namespace vestige::report
