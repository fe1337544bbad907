// Text and tables of an experiment.
#include "vestige/report/terminal/study_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/study/study_rows.h"
#include "vestige/report/tables/study_tables.h"
#include "vestige/report/terminal/terminal.h"
#include "vestige/study/summary.h"

namespace vestige::report {
namespace {

study::Study example() {
  std::vector<study::StudyRow> rows;
  const double noise[] = {0.01, -0.02, 0.015, 0.0, -0.01, 0.02};
  for (std::size_t model = 0; model < 6; ++model) {
    const auto add = [&](const std::string& who, double value, const std::string& metric) {
      rows.push_back(study::make({.model = who + "/" + std::to_string(model),
                                  .value = value + noise[(model + who.size()) % 6],
                                  .metric = metric,
                                  .variant = "random_10%"}));
    };
    for (const char* metric : {"iam.online.bce", "conformal.cr.forget"}) {
      add("unlearned/fine_tune", 0.6, metric);
      add("unlearned/scrub", 0.9, metric);
      add("original", 1.2, metric);
      add("retrained", 0.5, metric);
    }
  }
  study::Study study =
      study::study(rows, {}, {},
                   {{"random_10%", "scrub", 8, 2,
                     result::reason(result::Code::message, "a weight is not finite")}});
  study.findings.push_back({.finding = "A long claim, with a comma & an \"ampersand\"",
                            .source = "Paper, Table 2",
                            .outcome = study::CheckOutcome::held,
                            .reasons = {result::reason(result::Code::message, "0.6 of fine_tune")},
                            .estimate = {0.3, 0.2, 0.4},
                            .n = 6,
                            .how = result::reason(result::Code::t_over_pairs_of_models, 6)});
  return study;
}

TEST(StudyText, FitsTheTerminalAndSaysTheMainThings) {
  for (const bool full : {false, true}) {
    const std::string text = study_text(example(), full);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), kTerminalWidth) << line;
    }
    EXPECT_NE(text.find("(retrained)"), std::string::npos);
    EXPECT_NE(text.find("passed"), std::string::npos);
    EXPECT_NE(text.find("fine_tune before scrub"), std::string::npos) << text;
    EXPECT_NE(text.find("1 held, 0 did not hold, 0 inconclusive"), std::string::npos);
    EXPECT_NE(text.find("Where the noise comes from"), std::string::npos);
  }
}

const std::string& file(const std::vector<TableFile>& files, const std::string& name) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&](const TableFile& own) { return own.name == name; });
  EXPECT_NE(found, files.end()) << name;
  return found->text;
}

std::size_t commas(const std::string& line) {
  bool quoted = false;
  std::size_t count = 0;
  for (const char character : line) {
    if (character == '"') quoted = !quoted;
    if (character == ',' && !quoted) ++count;
  }
  return count;
}

TEST(StudyTables, CsvHasAsManyFieldsAsItsHeader) {
  for (const TableFile& own : study_csv(example())) {
    std::istringstream lines(own.text);
    std::string header;
    std::getline(lines, header);
    std::size_t rows = 0;
    for (std::string line; std::getline(lines, line); ++rows) {
      EXPECT_EQ(commas(line), commas(header)) << own.name << ": " << line;
    }
    EXPECT_GT(rows, 0u) << own.name;
  }
  EXPECT_NE(file(study_csv(example()), "findings.csv")
                .find("\"A long claim, with a comma & an \"\"ampersand\"\"\""),
            std::string::npos);
  for (const TableFile& own : study_csv({})) {
    EXPECT_EQ(std::count(own.text.begin(), own.text.end(), '\n'), 1) << own.name;
  }
}

TEST(StudyTables, LatexIsEscapedAndBalanced) {
  const std::vector<TableFile> files = study_latex(example());
  EXPECT_EQ(files.size(), 5u);
  const std::string& methods = file(files, "methods.tex");
  EXPECT_NE(methods.find("fine\\_tune"), std::string::npos);
  EXPECT_NE(methods.find("random\\_10\\%"), std::string::npos);
  EXPECT_NE(methods.find("\\toprule"), std::string::npos);
  EXPECT_NE(file(files, "findings.tex").find("comma \\& an"), std::string::npos);
  EXPECT_NE(file(files, "comparison.tex").find("\\textbf{fine\\_tune} & scrub"), std::string::npos);
  for (const TableFile& own : files) {
    EXPECT_NE(own.text.find("\\begin{longtable}"), std::string::npos);
    EXPECT_NE(own.text.find("\\end{longtable}"), std::string::npos);
    EXPECT_EQ(std::count(own.text.begin(), own.text.end(), '{'),
              std::count(own.text.begin(), own.text.end(), '}'))
        << own.name;
  }
}

TEST(StudyText, SurvivorsSayHowManyRunsFailed) {
  const std::string text = study_text(example());
  EXPECT_NE(text.find("scrub (2 of 8 runs failed)"), std::string::npos) << text;
  EXPECT_NE(text.find("- scrub, variant random_10%: 2 of 8 runs failed: a weight is not finite"),
            std::string::npos)
      << text;
  EXPECT_NE(file(study_csv(example()), "failed_runs.csv").find("random_10%,scrub,8,2,"),
            std::string::npos);
  EXPECT_NE(file(study_latex(example()), "methods.tex").find("scrub (2 of 8 runs failed)"),
            std::string::npos);
  EXPECT_NE(file(study_latex(example()), "failed_runs.tex").find("scrub & 8 & 2"),
            std::string::npos)
      << file(study_latex(example()), "failed_runs.tex");
}

/// Original and retrained alike: the metric says nothing here.
study::Study failed_example() {
  std::vector<study::StudyRow> rows;
  for (int model = 0; model < 6; ++model) {
    const auto add = [&](const std::string& who, double value) {
      rows.push_back(study::make({.model = who + "/" + std::to_string(model),
                                  .value = value + 0.01 * (model % 3),
                                  .metric = "iam.online.bce"}));
    };
    add("unlearned/first", 0.2);
    add("unlearned/second", 0.9);
    add("original", model % 2 == 0 ? 0.5 : 0.6);
    add("retrained", model % 2 == 0 ? 0.6 : 0.5);
  }
  return study::study(rows, {});
}

TEST(StudyText, AFailedMetricIsMarkedInEveryFormat) {
  const study::Study study = failed_example();
  const std::string text = study_text(study);
  EXPECT_NE(text.find("no ranking, because the metric failed"), std::string::npos) << text;
  EXPECT_EQ(text.find("first before second"), std::string::npos) << text;
  const std::vector<TableFile> csv = study_csv(study);
  EXPECT_EQ(file(csv, "comparison.csv").find("first"), std::string::npos);
  EXPECT_EQ(file(csv, "ranks.csv").find(",1,1,1,"), std::string::npos);
  EXPECT_NE(file(csv, "ranks.csv").find(",,,,,false,true,main"), std::string::npos)
      << file(csv, "ranks.csv");
  EXPECT_NE(file(csv, "methods.csv").find(",0,true,0,0"), std::string::npos)
      << file(csv, "methods.csv");
  const std::vector<TableFile> tex = study_latex(study);
  EXPECT_NE(file(tex, "methods.tex").find("first & \\vestigefailed{"), std::string::npos);
  EXPECT_NE(file(tex, "comparison.tex").find("no ranking, because"), std::string::npos);
  EXPECT_EQ(file(tex, "comparison.tex").find("first & second"), std::string::npos);
}

}  // namespace
}  // namespace vestige::report
