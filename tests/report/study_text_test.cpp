// Text and tables of an experiment.
#include "vestige/report/study_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/study/study_rows.h"
#include "vestige/report/study_tables.h"
#include "vestige/report/terminal.h"

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
                                  .arm = "random_10%"}));
    };
    for (const char* metric : {"iam.online.bce", "conformal.cr.forget"}) {
      add("unlearned/fine_tune", 0.6, metric);
      add("unlearned/scrub", 0.9, metric);
      add("original", 1.2, metric);
      add("retrained", 0.5, metric);
    }
  }
  study::Study study = study::study(rows, {});
  study.findings.push_back({.finding = "A long claim, with a comma & an \"ampersand\"",
                            .source = "Paper, Table 2",
                            .outcome = study::Outcome::held,
                            .sentence = "0.6 of fine_tune",
                            .estimate = {0.3, 0.2, 0.4},
                            .n = 6,
                            .how = "t over 6 models"});
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
  EXPECT_EQ(files.size(), 4u);
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

}  // namespace
}  // namespace vestige::report
