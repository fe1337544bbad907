// The whole study, and its JSON.
#include "vestige/study/summary.h"

#include <gtest/gtest.h>

#include "tests/study/study_rows.h"
#include "vestige/base/options.h"
#include "vestige/result/codec.h"
#include "vestige/words/words.h"

namespace vestige::study {
namespace {

using result::Code;

TEST(Summary, HasTheKeysOfTheBenchObject) {
  std::vector<StudyRow> rows;
  for (int model = 0; model < 3; ++model) {
    const std::string name = "/" + std::to_string(model);
    for (const char* who : {"unlearned/a", "unlearned/b", "original", "retrained"}) {
      rows.push_back(make({.model = who + name,
                           .value = 0.1 * model + (who[0] == 'o' ? 1.0 : 0.5),
                           .metric = "iam.online.bce"}));
    }
  }
  const Json checks = parse_toml(
      "[[checks]]\nfinding = 'x'\nleft = {metric = 'iam.online.bce', method = 'original'}\n"
      "is = 'above'\nright = {metric = 'iam.online.bce', method = 'retrained'}\n",
      "test.toml")["checks"];
  const Json json = result::json_of(study(rows, read_checks(checks, "test.toml")));
  EXPECT_EQ(json["findings"][0]["outcome"], "held");
  EXPECT_NEAR(json["findings"][0]["value"].get<double>(), 0.5, 1e-12);
  EXPECT_EQ(json["methods"].size(), 4u);
  EXPECT_EQ(json["controls"][0]["verdict"], "passed");
  EXPECT_TRUE(json["controls"][0]["constant"]["value"].is_null());
  EXPECT_TRUE(json["failed_controls"].empty());
  EXPECT_EQ(json["comparison"]["metrics"][0]["pairs"].size(), 1u);
  EXPECT_EQ(json["variance"].size(), 5u);
  const Json empty = result::json_of(study({}, {}));
  EXPECT_TRUE(empty["findings"].empty());
  EXPECT_TRUE(empty["comparison"]["metrics"].empty());
}

TEST(Summary, FailedRunsStandBesideTheSurvivors) {
  const std::vector<StudyRow> rows = make_all(
      {{.model = "unlearned/a/0", .value = 0.5}, {.model = "unlearned/b/0", .value = 0.6}});
  const Study seen = study(
      rows, {}, {}, {{"main", "a", 6, 2, result::reason(Code::message, "a weight is not finite")}});
  EXPECT_EQ(seen.results[0].runs, 6u);
  EXPECT_EQ(seen.results[0].failed_runs, 2u);
  EXPECT_EQ(seen.results[1].failed_runs, 0u);
  const Json json = result::json_of(seen);
  EXPECT_EQ(json["failed_runs"][0]["method"], "a");
  EXPECT_EQ(json["failed_runs"][0]["failed"], 2);
  EXPECT_EQ(json["methods"][0]["failed_runs"], 2);
  EXPECT_EQ(words::text(result::failed_runs_reason(seen.failed_runs[0])),
            "a, variant main: 2 of 6 runs failed: a weight is not finite");
}

// What did nothing repeats the original: a finding of a paper about it is not decided, a control
// is.
TEST(Summary, AFindingNeedsAMethodThatMovedTheModel) {
  std::vector<StudyRow> rows;
  for (int model = 0; model < 3; ++model) {
    const std::string name = "/" + std::to_string(model);
    for (const char* who : {"unlearned/a", "retrained"}) {
      rows.push_back(make({.model = who + name,
                           .value = 0.1 * model + (who[0] == 'u' ? 1.0 : 0.5),
                           .metric = "iam.online.bce"}));
    }
  }
  Json check = parse_toml(
      "[[checks]]\nfinding = 'x'\nleft = {metric = 'iam.online.bce', method = 'a'}\n"
      "is = 'above'\nright = {metric = 'iam.online.bce', method = 'retrained'}\n",
      "test.toml")["checks"];
  const auto outcome = [&](double moved) {
    return study(rows, read_checks(check, "test.toml"), {.moved = {{"a", moved}}}).findings[0];
  };
  EXPECT_EQ(outcome(0.2).outcome, CheckOutcome::held);
  const CheckResult finding = outcome(0.001);
  EXPECT_EQ(finding.outcome, CheckOutcome::inconclusive);
  EXPECT_EQ(finding.reasons.back().code, Code::method_did_not_move);
  EXPECT_NE(words::text(finding.reasons.back()).find("says nothing about a"), std::string::npos);
  check[0]["control"] = true;
  EXPECT_EQ(outcome(0.001).outcome, CheckOutcome::held);
}

TEST(Summary, AFindingSaysThatItsMetricFailed) {
  std::vector<StudyRow> rows;
  for (int model = 0; model < 4; ++model) {
    for (const char* who : {"unlearned/a", "unlearned/b", "original", "retrained"}) {
      rows.push_back(make({.model = who + std::string("/") + std::to_string(model),
                           .value = 0.5 + (who[0] == 'u' ? 0.1 * (who[10] - 'a') : 0) +
                                    0.01 * ((model * 7 + who[0]) % 5),
                           .metric = "iam.online.bce"}));
    }
  }
  const Json checks = parse_toml(
      "[[checks]]\nfinding = 'x'\nleft = {metric = 'iam.online.bce', method = 'b'}\n"
      "is = 'above'\nright = {metric = 'iam.online.bce', method = 'a'}\n",
      "test.toml")["checks"];
  const Study seen = study(rows, read_checks(checks, "test.toml"));
  ASSERT_EQ(seen.controls[0].verdict, ControlVerdict::failed)
      << words::text(seen.controls[0].reason);
  EXPECT_EQ(seen.findings[0].reasons.back(),
            result::reason(Code::metric_failed_its_controls, "iam.online.bce"));
  EXPECT_TRUE(seen.results[0].failed);
}

// A recovery test that destroys the original (share 1 for all) says nothing of another that does
// not.
TEST(Summary, AFindingIsNotBlamedForOtherSettings) {
  std::vector<StudyRow> rows;
  for (int model = 0; model < 4; ++model) {
    for (const char* who : {"unlearned/a", "unlearned/b", "original", "retrained"}) {
      const std::string name = who + std::string("/") + std::to_string(model);
      const double noise = 0.01 * ((model * 7 + who[0]) % 5);
      const double method = who[0] == 'u' ? 0.1 * (who[10] - 'a') : 0;
      const double original = who[0] == 'o' ? 1 : 0;
      rows.push_back(make({.model = name,
                           .value = 0.5 + method + noise,
                           .metric = "iam.online.bce",
                           .params = {{"recovery_test", "hard"}}}));
      rows.push_back(make({.model = name,
                           .value = 0.5 + method + noise + original,
                           .metric = "iam.online.bce",
                           .params = {{"recovery_test", "mild"}}}));
    }
  }
  const auto last_reason = [&](const std::string& probe) {
    const std::string params = ", params = {recovery_test = '" + probe + "'}}\n";
    const Json checks = parse_toml(
        "[[checks]]\nfinding = 'x'\nleft = {metric = 'iam.online.bce', method = 'b'" + params +
            "is = 'above'\nright = {metric = 'iam.online.bce', method = 'a'" + params,
        "test.toml")["checks"];
    return study(rows, read_checks(checks, "test.toml")).findings[0].reasons.back().code;
  };
  EXPECT_EQ(last_reason("hard"), Code::metric_failed_its_controls);
  EXPECT_EQ(last_reason("mild"), Code::difference_of);
}

}  // namespace
}  // namespace vestige::study
