// The table of a paper: values of hand-made rows, what is best, what is never best.
#include "vestige/report/tables/paper_table.h"

#include <gtest/gtest.h>

#include "vestige/result/row.h"

namespace vestige::report {
namespace {

study::StudyRow paper_row(const std::string& metric, const std::string& subject, double value,
                          metrics::Direction direction,
                          metrics::Control control = metrics::Control::none) {
  study::StudyRow row;
  row.row.metric = metric;
  row.row.subject = metrics::parse_subject(subject);
  row.row.control = control;
  row.row.direction = direction;
  row.row.value = value;
  row.row.reference = 0.5;
  return row;
}

constexpr auto kMatch = metrics::Direction::match;
constexpr auto kHigher = metrics::Direction::higher;

/// Two metrics of four methods: "idle" did nothing, "noisy" is unreliable in the first.
Results paper_example() {
  Results results;
  results.rows = {
      paper_row("iam.online.auc", "retrained", 0.5, kMatch, metrics::Control::retrained),
      paper_row("iam.online.auc", "original", 0.9, kMatch, metrics::Control::original),
      paper_row("iam.online.auc", "unlearned/far", 0.75, kMatch),
      paper_row("iam.online.auc", "unlearned/near", 0.375, kMatch),
      paper_row("iam.online.auc", "unlearned/idle", 0.5, kMatch),
      paper_row("iam.online.auc", "unlearned/noisy", 0.5, kMatch),
      paper_row("utility.accuracy.test", "retrained", 0.5, kHigher, metrics::Control::retrained),
      paper_row("utility.accuracy.test", "unlearned/far", 0.625, kHigher),
      paper_row("utility.accuracy.test", "unlearned/near", 0.25, kHigher),
  };
  results.rows[3].row.lower = 0.25;
  results.rows[3].row.upper = 0.5;
  results.rows[5].row.status = metrics::Status::unreliable;
  audit::Verdict idle;
  idle.method = "idle";
  idle.word = audit::Word::traces_remain;
  idle.hardly_changed = true;
  results.verdicts = {idle};
  return results;
}

/// The line that begins with this name.
std::string tex_line_of(const std::string& table, const std::string& name) {
  const std::size_t start = table.find("\n" + name) + 1;
  return start == 0 ? "" : table.substr(start, table.find("\n", start) - start);
}

TEST(PaperTable, TheBestIsNearestToRetrainedOrHighest) {
  const std::string table =
      paper_table(paper_example(), {.metrics = {"iam.online.auc", "utility.accuracy.test"}});
  EXPECT_EQ(tex_line_of(table, "far"), "far & 0.75 & \\textbf{0.625} \\\\");
  EXPECT_EQ(tex_line_of(table, "near"), "near & \\textbf{0.375} [0.25, 0.5] & 0.25 \\\\");
  EXPECT_EQ(tex_line_of(table, "idle"), "idle$^{\\dagger}$ & 0.5 & -- \\\\")
      << "a method that did nothing is never the best";
  EXPECT_EQ(tex_line_of(table, "noisy"), "noisy & \\textit{0.5}? & -- \\\\");
  EXPECT_EQ(tex_line_of(table, "\\emph{retrained}"), "\\emph{retrained} & 0.5 & 0.5 \\\\");
  EXPECT_EQ(tex_line_of(table, "\\emph{original}"), "\\emph{original} & 0.9 & -- \\\\");
  EXPECT_NE(table.find("$\\uparrow$"), std::string::npos);
}

// A copy of a retrained model is nearest to retrained, and a constant answer may be.
TEST(PaperTable, WhatIsNotTestedOrCollapsedIsNeverTheBest) {
  for (const audit::Word word : {audit::Word::not_tested, audit::Word::collapsed}) {
    Results results = paper_example();
    audit::Verdict near;
    near.method = "near";
    near.word = word;
    results.verdicts.push_back(near);
    const std::string table = paper_table(results, {.metrics = {"iam.online.auc"}});
    EXPECT_EQ(tex_line_of(table, "near"), "near$^{\\ddagger}$ & 0.375 [0.25, 0.5] \\\\");
    EXPECT_EQ(tex_line_of(table, "far"), "far & \\textbf{0.75} \\\\");
  }
}

TEST(PaperTable, ChosenMethodsInTheirOrderWithoutIntervals) {
  const std::string table =
      paper_table(paper_example(),
                  {.metrics = {"iam.online.auc"}, .methods = {"near", "far"}, .interval = false});
  EXPECT_LT(table.find("\nnear"), table.find("\nfar"));
  EXPECT_EQ(table.find("idle"), std::string::npos);
  EXPECT_EQ(table.find("[0.25"), std::string::npos);
}

TEST(PaperTable, WhatIsNotThereIsNamedWithTheNearest) {
  const auto message = [](const PaperChoice& choice) -> std::string {
    try {
      paper_table(paper_example(), choice);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message({.metrics = {"iam.online.au"}}).find("did you mean 'iam.online.auc'"),
            std::string::npos);
  EXPECT_NE(message({.metrics = {"iam.online.auc"}, .methods = {"nera"}}).find("'near'"),
            std::string::npos);
}

}  // namespace
}  // namespace vestige::report
