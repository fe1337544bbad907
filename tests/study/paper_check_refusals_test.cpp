// Checks that cannot be: refused when they are read, or before the experiment.
#include <gtest/gtest.h>

#include "tests/study/study_checks.h"
#include "tests/study/study_rows.h"
#include "tests/study/two_attacks.h"
#include "vestige/audit/controls.h"
#include "vestige/base/error.h"
#include "vestige/study/paper_checks.h"

namespace vestige::study {
namespace {

TEST(Findings, BadChecksAreRefused) {
  EXPECT_NE(check_error("left = {metric = 'iam.onlin.auc'}\nis = 'above'\nright = 1\n")
                .find("'iam.onlin.auc' is no metric: did you mean 'iam.online.auc'?"),
            std::string::npos);
  EXPECT_NE(check_error("left = {metrik = 'iam.online.auc'}\nis = 'above'\nright = 1\n")
                .find("metric: it is missing"),
            std::string::npos);
  EXPECT_NE(check_error(kIamAboveLoss + "bye = 1\n").find("'by'"), std::string::npos);
  EXPECT_NE(check_error("is = 'above'\n").find("give exactly one of them"), std::string::npos);
  EXPECT_NE(check_error(kIamAboveLoss + "unreliable = {metric = 'miau.score'}\n")
                .find("left and unreliable"),
            std::string::npos);
  EXPECT_NE(check_error(kIamAboveLoss + "margin = 1\n").find("near"), std::string::npos);
  EXPECT_NE(check_error(kIamAboveLoss + "by = -1\n").find("turn `is` around"), std::string::npos);
  EXPECT_NE(check_error("left = {metric = 'miau.score'}\nis = 'abov'\nright = 1\n").find("'above'"),
            std::string::npos);
  EXPECT_NE(
      check_error("left = {metric = 'miau.score'}\nis = 'above'\n").find("right: it is missing"),
      std::string::npos);
  EXPECT_NE(check_error("over = 'variant'\nat = ['a', 'b']\nis = 'rising'\n"
                        "values = {metric = 'miau.score'}\n")
                .find("three points"),
            std::string::npos);
  EXPECT_NE(check_error("over = 'variant'\nat = ['a', 'b', 'c']\nis = 'rising'\n"
                        "values = {metric = 'miau.score', variant = 'a'}\n")
                .find("fixes variant"),
            std::string::npos);
  EXPECT_NE(check_error("ranks_agree = {metric = 'miau.score', between = ['a']}\n")
                .find("must name two of variant"),
            std::string::npos);
  // Names of earlier versions are answered with the present ones.
  const auto returns = [](const std::string& more) {
    return check_error("left = {metric = 'returns.share', " + more +
                       "}\nis = 'above'\nright = 1\n");
  };
  EXPECT_NE(returns("params = {probe = 'int8'}").find("'probe' is now 'recovery_test'"),
            std::string::npos);
  EXPECT_NE(returns("arm = 'a'").find("'arm' is now 'variant'"), std::string::npos);
  EXPECT_THROW(read_checks(Json::object(), "test.toml"), InputError);
  EXPECT_THROW(checks_of("[[checks]]\nsource = 'x'\n"), InputError);
  EXPECT_TRUE(read_checks(Json(), "test.toml").empty());
}

TEST(Findings, NamesAreCheckedBeforeTheExperiment) {
  const StudyNames names{.variants = {"random", "class"},
                         .audits = {"main"},
                         .methods = {"finetune", "retrained"},
                         .split_seeds = {1, 2}};
  const auto refusal = [&](const std::string& body) {
    try {
      check_findings({check_of(body)}, names);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto with = [](const std::string& more) {
    return "left = {metric = 'miau.score', " + more + "}\nis = 'above'\nright = 1\n";
  };
  EXPECT_EQ(refusal(with("variant = 'clas'")),
            "check 'it is so': the experiment has no variant 'clas': did you mean 'class'?");
  EXPECT_NE(refusal(with("audit = 'mian'")).find("'main'"), std::string::npos);
  EXPECT_NE(refusal(with("method = 'finetun'")).find("'finetune'"), std::string::npos);
  EXPECT_NE(refusal(with("split_seed = 3")).find("no split seed 3: it has 1, 2"),
            std::string::npos);
  EXPECT_EQ(refusal(with("variant = 'class', method = 'retrained', split_seed = 2")), "");
  EXPECT_NE(refusal("ranks_agree = {metric = 'miau.score', between = ['random', 'x']}\n")
                .find("no variant 'x'"),
            std::string::npos);
  EXPECT_EQ(
      refusal("ranks_agree = {metric = 'miau.score', over = 'split_seed', between = [1, 2]}\n"),
      "");
}

TEST(Findings, WhatNoAuditMeasuresIsRefused) {
  StudyNames names{.variants = {"random", "class"}, .audits = {"main", "one shadow"}};
  names.places = {{"random", "main", audit::Selection({"iam", "utility"}), {"finetune", "scrub"}},
                  {"random", "one shadow", audit::Selection({"iam"}), {"finetune", "scrub"}},
                  {"class", "main", audit::Selection({"iam", "utility"}), {"finetune"}}};
  const auto refusal = [&](const std::string& selection) {
    try {
      check_findings({check_of("left = {" + selection + "}\nis = 'above'\nright = 1\n")}, names);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal("metric = 'iam.online.auc', variant = 'random', audit = 'one shadow'"), "");
  EXPECT_EQ(refusal("metric = 'iam.online.auc', method = 'retrained', variant = 'class'"), "");
  EXPECT_EQ(refusal("metric = 'iam.online.auc', variant = 'class', audit = 'one shadow'"),
            "check 'it is so': audit 'one shadow' is not made of variant 'class': name the variant "
            "in its `variants`");
  EXPECT_EQ(refusal("metric = 'miau.score', variant = 'class'"),
            "check 'it is so': miau.score is not measured in variant class");
  EXPECT_EQ(refusal("metric = 'utility.accuracy.test', audit = 'one shadow'"),
            "check 'it is so': utility.accuracy.test is not measured by audit one shadow");
  EXPECT_EQ(refusal("metric = 'iam.online.auc', method = 'scrub', variant = 'class'"),
            "check 'it is so': method scrub is not run in variant class");
}

}  // namespace
}  // namespace vestige::study
