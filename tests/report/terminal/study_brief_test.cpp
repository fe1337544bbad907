// The screen at the end of a bench.
#include "vestige/report/terminal/study_brief.h"

#include <gtest/gtest.h>

#include <sstream>

#include "vestige/report/terminal/terminal.h"

namespace vestige::report {
namespace {

result::MethodResult mean(const std::string& metric, const std::string& setting,
                          const std::string& method, bool control, double value,
                          double unreliable = 0) {
  result::MethodResult made;
  made.variant = "main";
  made.measure = {metric, setting, "main"};
  made.method = method;
  made.control = control;
  made.value.value = value;
  made.unreliable = unreliable;
  return made;
}

/// The line that begins with this name.
std::string line_of(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(name) != std::string::npos) return line;
  }
  return "";
}

TEST(StudyBrief, OneColumnHoldsOneSetting) {
  result::Study study;
  study.results = {
      mean("epsilon.f_score", "models=8", "finetune", false, 0.125),
      mean("epsilon.f_score", "models=4", "finetune", false, 0.25),
      mean("epsilon.f_score", "models=4", "retrained", true, 0.5),
      mean("utility.accuracy.test", "", "finetune", false, 0.75, 1),
  };
  const std::string text = study_brief(study);
  // The setting that has a retrained control, for both lines.
  EXPECT_NE(line_of(text, "finetune").find("0.25"), std::string::npos) << text;
  EXPECT_EQ(line_of(text, "finetune").find("0.125"), std::string::npos) << text;
  EXPECT_NE(line_of(text, "(retrained)").find("0.5"), std::string::npos) << text;
  EXPECT_NE(line_of(text, "finetune").find("0.75?"), std::string::npos) << text;
}

TEST(StudyBrief, AVariantInASetupShowsItsSetup) {
  result::Study study;
  study.results = {
      mean("epsilon.f_score", "models=8;", "finetune", false, 0.125),
      mean("epsilon.f_score", "models=8;", "retrained", true, 0.5),
      mean("epsilon.f_score", "models=4;setup=\"full\";", "finetune", false, 0.25),
  };
  const std::string text = study_brief(study);
  EXPECT_NE(line_of(text, "finetune").find("0.25"), std::string::npos) << text;
  // And says which of the settings it is.
  EXPECT_NE(text.find("F: epsilon.f_score (models=4, setup=full), audit main"), std::string::npos)
      << text;
}

TEST(StudyBrief, LongNamesKeepTheirEnd) {
  result::Study study;
  for (const char* name : {"checkpoint/original.0.2", "checkpoint/original.0.4"}) {
    study.results.push_back(mean("sde.otr", "", name, true, 0.5));
  }
  const std::string text = study_brief(study);
  EXPECT_NE(text.find("nal.0.2)"), std::string::npos) << text;
  EXPECT_NE(text.find("nal.0.4)"), std::string::npos) << text;
}

TEST(StudyBrief, DoubtedSettingsDoNotTakeTheColumn) {
  result::Study study;
  study.results = {
      mean("epsilon.f_score", "models=8", "finetune", false, 0.125),
      mean("epsilon.f_score", "models=1", "finetune", false, 0, 1),
      mean("epsilon.f_score", "models=1", "retrained", true, 0, 1),
  };
  EXPECT_NE(line_of(study_brief(study), "finetune").find("0.125"), std::string::npos);
}

TEST(StudyBrief, ASettingThatLacksMethodsDoesNotTakeTheColumn) {
  result::Study study;
  study.results = {
      mean("epsilon.f_score", "models=8", "finetune", false, 0.125, 1),
      mean("epsilon.f_score", "models=8", "scrub", false, 0.5, 1),
      mean("epsilon.f_score", "models=4", "finetune", false, 0.25),
      mean("epsilon.f_score", "models=4", "retrained", true, 0.75),
  };
  const std::string text = study_brief(study);
  EXPECT_NE(line_of(text, "finetune").find("0.125?"), std::string::npos) << text;
  EXPECT_NE(line_of(text, "scrub").find("0.5?"), std::string::npos) << text;
}

TEST(StudyBrief, FitsTheTerminalAndSurvivesNothing) {
  result::Study study;
  for (const char* metric : {"utility.accuracy.test", "utility.accuracy.forget", "epsilon.f_score",
                             "epsilon.final_score", "mia_gap.loss", "miau.score", "iam.online.auc",
                             "sde.otr", "conformal.cr.forget", "conformal.miacr"}) {
    study.results.push_back(
        mean(metric, "", "a_method_with_a_very_long_name_indeed", false, 0.123456789));
  }
  for (const std::size_t width : {60U, 80U, 100U, 140U}) {
    std::istringstream lines(study_brief(study, width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), width) << line;
  }
  EXPECT_NE(study_brief({}).find("Controls: none"), std::string::npos);
}

TEST(StudyBrief, FailedRunsAndFailedMetricsAreSaid) {
  result::Study study;
  study.results = {mean("utility.accuracy.test", "", "scrub", false, 0.75)};
  study.results[0].failed = true;
  study.results[0].runs = 6;
  study.results[0].failed_runs = 2;
  const result::Reason why = result::reason(result::Code::message, "out of memory");
  study.failed_runs = {{"main", "scrub", 6, 2, why}, {"main", "fisher", 6, 6, why}};
  const std::string text = study_brief(study);
  EXPECT_NE(line_of(text, "scrub 4/6").find("0.75?"), std::string::npos) << text;
  EXPECT_NE(text.find("- fisher, variant main: 6 of 6 runs failed: out of memory"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace vestige::report
