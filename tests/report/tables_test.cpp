// LaTeX, Markdown and CSV: values, reasons and escaping.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/report/made_results.h"
#include "vestige/report/json/json_fields.h"
#include "vestige/report/page/escape.h"
#include "vestige/report/page/page_data.h"
#include "vestige/report/tables/csv.h"
#include "vestige/report/tables/latex.h"
#include "vestige/report/tables/markdown.h"
#include "vestige/report/tables/table_cells.h"

namespace vestige::report {
namespace {

using testing::made_results;
using testing::made_row;
using testing::read;

// Every special character of LaTeX (The LaTeX Companion, 2nd ed., section 1.1 and 7.3).
TEST(Latex, EscapesEverySpecialCharacter) {
  EXPECT_EQ(latex_text("a_b%c&d#e$f{g}"), "a\\_b\\%c\\&d\\#e\\$f\\{g\\}");
  EXPECT_EQ(latex_text("\\~^<>"),
            "\\textbackslash{}\\textasciitilde{}\\textasciicircum{}\\textless{}\\textgreater{}");
  EXPECT_EQ(latex_text("two\nlines"), "two lines");
}

TEST(Latex, HasMethodsControlsAndReasons) {
  Json results = made_results("fine_tune");
  results["results"][4]["status"] = "unreliable";
  results["results"][4]["note"] = "cannot tell 100 % apart";
  const std::string text = latex(read(results));
  EXPECT_NE(text.find("fine\\_tune & method & 0.625 & \\textit{0.625}$^{1}$ \\\\"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("$^{1}$ iam.online.auc: cannot tell 100 \\% apart"), std::string::npos);
  EXPECT_NE(text.find("retrained & retrained & 0.5 & 0.5"), std::string::npos);
}

TEST(FailedRuns, StandInMarkdownLatexAndPage) {
  Json results = made_results("fine_tune");
  results["bench"] = {{"recipe", "demo"}, {"failed_runs", Json::array()}};
  results["bench"]["failed_runs"].push_back({{"variant", "main"},
                                             {"method", "my_method"},
                                             {"runs", 6},
                                             {"failed", 2},
                                             {"why", "100 % NaN"}});
  results["bench"]["failed_controls"] = {"a.b, variant main failed: it cannot tell"};
  const Results seen = read(results);
  EXPECT_NE(markdown(seen).find("| main | my\\_method | 2 of 6 | 100 % NaN |"), std::string::npos)
      << markdown(seen);
  EXPECT_NE(markdown(seen).find("failed their own controls"), std::string::npos);
  EXPECT_NE(latex(seen).find("main & my\\_method & 2 of 6 & 100 \\% NaN"), std::string::npos)
      << latex(seen);
  EXPECT_EQ(page_data(seen).at("bench").at("failed_runs").at(0).at("failed"), 2);
}

TEST(Markdown, EscapesMarkup) {
  Json results = made_results("<b>|x|*y*");
  results["schema"] = 2;  // its remarks are texts
  results["remarks"] = {"a\n# heading"};
  const std::string text = markdown(read(results));
  EXPECT_EQ(text.find("<b>"), std::string::npos);
  EXPECT_NE(text.find("&lt;b&gt;\\|x\\|\\*y\\*"), std::string::npos) << text;
  EXPECT_NE(text.find("- A \\# heading.\n"), std::string::npos);
  EXPECT_NE(text.find("Evidence quality B (of A to D)"), std::string::npos);
}

TEST(Markdown, UndefinedIsAWordWithItsReason) {
  Json results = made_results();
  results["results"][4]["value"] = nullptr;
  results["results"][4]["status"] = "undefined";
  results["results"][4]["note"] = "one class only";
  const std::string text = markdown(read(results));
  EXPECT_NE(text.find("| finetune | method | 0.625 | undefined (1) |"), std::string::npos) << text;
  EXPECT_NE(text.find("1. iam.online.auc: one class only"), std::string::npos);
}

// RFC 4180, section 2, rules 6 and 7.
TEST(Csv, QuotesWhatNeedsIt) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_field("two\nlines"), "\"two\nlines\"");
}

TEST(Csv, HasEveryRowAndField) {
  Json results = made_results("a,b");
  results["results"][1]["settings"] = {{"alpha", 0.5}};
  results["results"][1]["facts"] = {{"k", 3}};
  const std::string text = csv(read(results));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 7);
  EXPECT_TRUE(text.starts_with("metric,model,role,method,name,value,lower,upper,interval,n,"));
  EXPECT_NE(text.find("utility.accuracy.test,\"unlearned/a,b/0\",unlearned,\"a,b\",0,0.625,,,,10,"
                      "lower,,,ok,,,\"{\"\"alpha\"\":0.5}\",\"{\"\"k\"\":3}\",1\n"),
            std::string::npos)
      << text;
  results["bench"] = Json::object();
  EXPECT_TRUE(csv(read(results)).starts_with("variant,split_seed,audit,attack_seed,metric,"));
}

TEST(HeadlineTable, ShowsTheRangeOfSeveralModels) {
  Json results = made_results();
  results["results"].push_back(made_row("iam.online.auc", "unlearned/finetune/1", 0.5));
  const std::vector<study::StudyRow> rows = read(results).rows;
  const HeadlineTable table = headline_table(rows);
  ASSERT_EQ(table.columns.size(), 2U);
  ASSERT_EQ(table.lines.size(), 3U);
  EXPECT_EQ(table.lines[0].name, "retrained");  // retrained first
  EXPECT_EQ(table.lines[1].cells[1].text, "0.5 to 0.625 (2 values)");
  EXPECT_EQ(table.lines[2].name, "original");
}

// At 0.1.0 LaTeX and Markdown showed them as methods, and CSV had no word for them.
TEST(Checkpoints, StandApartInEveryTable) {
  const Results results = read(testing::with_checkpoint());
  const HeadlineTable table = headline_table(results.rows);
  EXPECT_EQ(table.lines.size(), 3U);
  ASSERT_EQ(table.checkpoints.size(), 1U);
  EXPECT_EQ(table.checkpoints[0].name, "checkpoint/original.0.5");
  EXPECT_EQ(table.checkpoints[0].role, "checkpoint");
  const std::string tex = latex(results);
  EXPECT_NE(tex.find("\\multicolumn{4}{l}{\\textit{Checkpoints}} \\\\\n"
                     "checkpoint/original.0.5 & checkpoint & 0.6875 & 0.6875 \\\\\n"),
            std::string::npos)
      << tex;
  const std::string text = markdown(results);
  EXPECT_GT(text.find("| checkpoint/original.0.5 | checkpoint | 0.6875 | 0.6875 |"),
            text.find("## Checkpoints\n"))
      << text;
  EXPECT_NE(csv(results).find("iam.online.auc,checkpoint/original.0.5/0,checkpoint,original.0.5,0,"
                              "0.6875,,,,10,lower,,,ok,,checkpoint,{},{},1\n"),
            std::string::npos)
      << csv(results);
}

TEST(JsonFields, InfinitiesAreWords) {
  EXPECT_EQ(number_of(Json{{"a", "inf"}}, "a"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(number_of(Json{{"a", "word"}}, "a")));
}

}  // namespace
}  // namespace vestige::report
