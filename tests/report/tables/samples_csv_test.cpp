// samples.csv: quoting and order, by hand.
#include "vestige/report/tables/samples_csv.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "tests/support/small_evidence.h"

namespace vestige::report {
namespace {

using metrics::Control;
using metrics::SampleColumn;

evidence::Evidence three_rows() {
  evidence::Evidence evidence;
  evidence.classes = 4;
  evidence.labels["forget"] = {3, 1, 2};
  evidence.labels["test"] = {0, 1};
  return evidence;
}

TEST(SamplesCsv, WorstFirst) {
  const SampleColumn column{"epsilon.ft", "forget", {0.5, 2.5, 1}, {}, 1, Control::none};
  EXPECT_EQ(samples_csv(three_rows(), {column}),
            "split,row,id,subject,label,epsilon.ft\n"
            "forget,1,,,1,2.5\n"
            "forget,2,,,2,1\n"
            "forget,0,,,3,0.5\n");
}

TEST(SamplesCsv, SmallMayBeWorse) {
  const SampleColumn column{"p", "forget", {0.5, 2.5, 1}, {}, -1, Control::none};
  EXPECT_EQ(samples_csv(three_rows(), {column}),
            "split,row,id,subject,label,p\n"
            "forget,0,,,3,0.5\n"
            "forget,2,,,2,1\n"
            "forget,1,,,1,2.5\n");
}

// Mean ranks: a has ranks (1, 2, 3), b (3, 1, 2), so rows add up to 4, 3, 5. The control and the
// column without direction do not count.
TEST(SamplesCsv, RanksOfSeveralColumnsAreAveraged) {
  const std::vector<SampleColumn> columns = {
      {"a", "forget", {0.1, 0.2, 0.3}, {}, 1, Control::none},
      {"b", "forget", {900, -5, 7}, {}, 1, Control::none},
      {"control", "forget", {9, 8, 0}, {}, 1, Control::original},
      {"neutral", "forget", {9, 8, 0}, {}, 0, Control::none}};
  EXPECT_EQ(samples_csv(three_rows(), columns),
            "split,row,id,subject,label,a,b,control,neutral\n"
            "forget,2,,,2,0.3,7,0,0\n"
            "forget,0,,,3,0.1,900,9,9\n"
            "forget,1,,,1,0.2,-5,8,8\n");
}

TEST(SamplesCsv, TiesKeepRowOrderAndUndefinedIsLastAndEmpty) {
  const SampleColumn column{"e", "forget", {std::nan(""), 1, 1}, {}, 1, Control::none};
  EXPECT_EQ(samples_csv(three_rows(), {column}),
            "split,row,id,subject,label,e\n"
            "forget,1,,,1,1\n"
            "forget,2,,,2,1\n"
            "forget,0,,,3,\n");
}

TEST(SamplesCsv, ForgetComesFirstAndOtherSplitsLeaveFieldsEmpty) {
  const std::vector<SampleColumn> columns = {
      {"t", "test", {1, 2}, {}, 0, Control::none},
      {"set", "forget", {}, {"{0, 1}", "{}", "{\"x\"}"}, 0, Control::none}};
  EXPECT_EQ(samples_csv(three_rows(), columns),
            "split,row,id,subject,label,t,set\n"
            "forget,0,,,3,,\"{0, 1}\"\n"
            "forget,1,,,1,,{}\n"
            "forget,2,,,2,,\"{\"\"x\"\"}\"\n"
            "test,0,,,0,1,\n"
            "test,1,,,1,2,\n");
}

// RFC 4180: commas, quotes and line breaks are quoted, quotes doubled.
TEST(SamplesCsv, NamesAreQuoted) {
  evidence::Evidence evidence = three_rows();
  evidence.labels["a,b"] = {1};
  evidence.ids["a,b"] = {"say \"hi\""};
  evidence.subjects["a,b"] = {"two\nlines"};
  const SampleColumn column{"x,y", "a,b", {1}, {}, 0, Control::none};
  EXPECT_EQ(samples_csv(evidence, {column}),
            "split,row,id,subject,label,\"x,y\"\n"
            "\"a,b\",0,\"say \"\"hi\"\"\",\"two\nlines\",1,1\n");
}

// Blanks around a field without quotes are lost to readers that trim.
TEST(SamplesCsv, OuterBlanksAreQuoted) {
  evidence::Evidence evidence = three_rows();
  evidence.ids["test"] = {" a b ", "c\t"};
  const SampleColumn column{"e", "test", {1, 2}, {}, 0, Control::none};
  EXPECT_EQ(samples_csv(evidence, {column}),
            "split,row,id,subject,label,e\n"
            "test,0,\" a b \",,0,1\n"
            "test,1,\"c\t\",,1,2\n");
}

TEST(SamplesCsv, NumbersComeBackExactly) {
  const SampleColumn column{"e", "test", {1.0 / 3, 1e-300}, {}, 0, Control::none};
  const std::string text = samples_csv(three_rows(), {column});
  EXPECT_NE(text.find(",0.3333333333333333\n"), std::string::npos) << text;
  EXPECT_NE(text.find(",1e-300\n"), std::string::npos) << text;
}

TEST(SamplesCsv, ComesInPiecesThatAreTheWholeText) {
  SampleColumn column{"e", "test", {}, {}, 0, Control::none};
  for (int row = 0; row < 20000; ++row) column.values.push_back(row / 8.0);
  evidence::Evidence evidence;
  evidence.labels["test"] = std::vector<std::int64_t>(column.values.size(), 1);
  std::string all;
  std::size_t pieces = 0, longest = 0;
  write_samples_csv(evidence, {column}, [&](std::string_view piece) {
    all += piece;
    ++pieces;
    longest = std::max(longest, piece.size());
  });
  EXPECT_EQ(all, samples_csv(evidence, {column}));
  EXPECT_GT(pieces, 2U);
  EXPECT_LT(longest, 70000U);
  EXPECT_TRUE(all.ends_with("\ntest,19999,,,1,2499.875\n"));
}

TEST(SamplesCsv, WithoutColumnsThereIsAHeader) {
  EXPECT_EQ(samples_csv(three_rows(), {}), "split,row,id,subject,label\n");
}

}  // namespace
}  // namespace vestige::report
