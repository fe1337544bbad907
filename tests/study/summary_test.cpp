// The whole study and its JSON.
#include "vestige/study/summary.h"

#include <gtest/gtest.h>

#include "tests/study/study_rows.h"
#include "vestige/base/options.h"

namespace vestige::study {
namespace {

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
  const Json json = summary_json(study(rows, read_checks(checks, "test.toml")));
  EXPECT_EQ(json["findings"][0]["outcome"], "held");
  EXPECT_NEAR(json["findings"][0]["value"].get<double>(), 0.5, 1e-12);
  EXPECT_EQ(json["methods"].size(), 4u);
  EXPECT_EQ(json["controls"][0]["verdict"], "passed");
  EXPECT_TRUE(json["controls"][0]["collapsed"]["value"].is_null());
  EXPECT_TRUE(json["failed_controls"].empty());
  EXPECT_EQ(json["comparison"]["metrics"][0]["pairs"].size(), 1u);
  EXPECT_EQ(json["variance"].size(), 5u);
  const Json empty = summary_json(study({}, {}));
  EXPECT_TRUE(empty["findings"].empty());
  EXPECT_TRUE(empty["comparison"]["metrics"].empty());
}

TEST(Summary, FailedRunsStandBesideTheSurvivors) {
  const std::vector<StudyRow> rows = make_all(
      {{.model = "unlearned/a/0", .value = 0.5}, {.model = "unlearned/b/0", .value = 0.6}});
  const Study seen = study(rows, {}, {}, {{"main", "a", 6, 2, "a weight is not finite"}});
  EXPECT_EQ(seen.results[0].runs, 6u);
  EXPECT_EQ(seen.results[0].failed_runs, 2u);
  EXPECT_EQ(seen.results[1].failed_runs, 0u);
  const Json json = summary_json(seen);
  EXPECT_EQ(json["failed_runs"][0]["method"], "a");
  EXPECT_EQ(json["failed_runs"][0]["failed"], 2);
  EXPECT_EQ(json["methods"][0]["failed_runs"], 2);
  EXPECT_EQ(sentence(seen.failed_runs[0]),
            "a, arm main: 2 of 6 runs failed: a weight is not finite");
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
  ASSERT_EQ(seen.controls[0].verdict, ControlVerdict::failed) << seen.controls[0].reason;
  EXPECT_NE(seen.findings[0].sentence.find("failed its controls"), std::string::npos)
      << seen.findings[0].sentence;
  EXPECT_TRUE(seen.results[0].failed);
}

// A probe that destroys the original (share 1 for all) says nothing of another that does not.
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
                           .params = {{"probe", "hard"}}}));
      rows.push_back(make({.model = name,
                           .value = 0.5 + method + noise + original,
                           .metric = "iam.online.bce",
                           .params = {{"probe", "mild"}}}));
    }
  }
  const auto sentence_of = [&](const std::string& probe) {
    const std::string params = ", params = {probe = '" + probe + "'}}\n";
    const Json checks = parse_toml(
        "[[checks]]\nfinding = 'x'\nleft = {metric = 'iam.online.bce', method = 'b'" + params +
            "is = 'above'\nright = {metric = 'iam.online.bce', method = 'a'" + params,
        "test.toml")["checks"];
    return study(rows, read_checks(checks, "test.toml")).findings[0].sentence;
  };
  EXPECT_NE(sentence_of("hard").find("failed its controls"), std::string::npos);
  EXPECT_EQ(sentence_of("mild").find("failed its controls"), std::string::npos);
}

}  // namespace
}  // namespace vestige::study
