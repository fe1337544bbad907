// The worst forget rows, by hand.
#include "vestige/audit/remembered.h"

#include <gtest/gtest.h>

#include <cmath>

#include "vestige/report/tables/samples_csv.h"

namespace vestige::audit {
namespace {

using metrics::Control;
using metrics::SampleColumn;

evidence::Evidence three_rows() {
  evidence::Evidence evidence;
  evidence.classes = 4;
  evidence.labels["forget"] = {3, 1, 2};
  evidence.ids["forget"] = {"a", "b", "c"};
  evidence.subjects["forget"] = {"ann", "bob", "ann"};
  return evidence;
}

TEST(RememberedRows, MethodsOrderControlsAreShown) {
  const std::vector<SampleColumn> columns = {
      {"epsilon.ft", "forget", {0.5, 2.5, std::nan("")}, {}, 1, Control::none},
      {"epsilon.original", "forget", {9, 1, 2}, {}, 1, Control::original},
      {"epsilon.constant_predictor", "forget", {9, 1, 2}, {}, 1, Control::constant},
      {"iam.online.ft.1", "forget", {0, 0, 0}, {}, 1, Control::none, false},
      {"conformal.loss.ft", "forget", {7, 8, 9}, {}, 0, Control::none},
      {"iam.online.ft", "retain", {1, 2}, {}, 1, Control::none}};
  const RememberedRows found = remembered_rows(three_rows(), columns);
  EXPECT_EQ(found.split, "forget");
  EXPECT_EQ(found.columns, (std::vector<std::string>{"epsilon.ft", "epsilon.original"}));
  ASSERT_EQ(found.rows.size(), 3U);
  EXPECT_EQ(found.rows[0].row, 1U);
  EXPECT_EQ(found.rows[0].id, "b");
  EXPECT_EQ(found.rows[0].subject, "bob");
  EXPECT_EQ(found.rows[0].label, 1);
  EXPECT_EQ(found.rows[0].scores, (std::vector<double>{2.5, 1}));
  EXPECT_EQ(found.rows[1].row, 0U);
  EXPECT_TRUE(std::isnan(found.rows[2].scores[0]));
}

// Row 0 scores highest, and as high with a model that never saw it: that is no memory. By hand:
// differences 0.0, 0.3, 0.1.
TEST(RememberedRows, WhatRetrainedSaysTooIsNoMemory) {
  const std::vector<SampleColumn> columns = {
      {"iam.online.ft", "forget", {0.9, 0.5, 0.7}, {}, 1, Control::none},
      {"iam.online.retrained", "forget", {0.9, 0.2, 0.6}, {}, 1, Control::retrained},
      {"iam.retrained", "forget", {0, 5, 9}, {}, 1, Control::retrained}};
  const RememberedRows found = remembered_rows(three_rows(), columns);
  ASSERT_EQ(found.rows.size(), 3U);
  EXPECT_EQ(found.rows[0].row, 1U);
  EXPECT_EQ(found.rows[1].row, 2U);
  EXPECT_EQ(found.rows[2].row, 0U);
}

TEST(RememberedRows, AtMostFiftyInTheOrderOfSamplesCsv) {
  evidence::Evidence evidence;
  SampleColumn column{"epsilon.ft", "forget", {}, {}, 1, Control::none};
  for (int row = 0; row < 80; ++row) column.values.push_back((row * 37) % 80);
  const RememberedRows found = remembered_rows(evidence, {column});
  ASSERT_EQ(found.rows.size(), kMostRememberedRows);
  EXPECT_FALSE(found.rows[0].label.has_value());
  std::string expected = "split,row,id,subject,label,epsilon.ft\n";
  for (const RememberedRow& row : found.rows) {
    expected += "forget," + std::to_string(row.row) + ",,,," +
                std::to_string(static_cast<int>(row.scores[0])) + "\n";
  }
  EXPECT_TRUE(report::samples_csv(evidence, {column}).starts_with(expected));
}

TEST(RememberedRows, NoneWithoutScores) {
  EXPECT_TRUE(remembered_rows(three_rows(), {}).rows.empty());
  EXPECT_TRUE(remembered_rows(evidence::Evidence{}, {}).columns.empty());
}

}  // namespace
}  // namespace vestige::audit
