// results.json of schema 1 and 2 through the verbs that read it: what a file does not say was not
// tested, and what it says is not turned into something else.
#include <gtest/gtest.h>

#include "vestige/base/file.h"
#include "vestige/practice/gate.h"
#include "vestige/report/json/read_results.h"
#include "vestige/report/tables/markdown.h"

namespace vestige::practice {
namespace {

using result::Outcome;
using result::Word;

/// Cut from what 0.1.0 wrote about demo/fashion-one: under-forgetting shown, without a word.
Json schema_one() {
  return Json::parse(read_file(VESTIGE_SOURCE_DIR "/tests/report/results_schema1.json"));
}

/// A verdict as schema 2 wrote it.
Json schema_two(const std::string& word, const std::string& under) {
  return Json{{"schema", 2},
              {"results", Json::array()},
              {"verdicts",
               {{{"method", "finetune"},
                 {"subject", {{"role", "unlearned"}, {"method", "finetune"}, {"name", ""}}},
                 {"word", word},
                 {"under", under},
                 {"over", "not shown"},
                 {"equivalent", word == "FORGOTTEN" ? "shown" : "inconclusive"},
                 {"utility_loss", "not shown"},
                 {"test", "unseen rows"},
                 {"tests", Json::array()}}}}};
}

const audit::Verdict& only(const report::Results& results) { return results.verdicts.at(0); }

TEST(EarlierSchemas, OneHasItsWordFromItsOutcomes) {
  const report::Results results = report::results_of(schema_one(), "one");
  EXPECT_EQ(only(results).under, Outcome::shown);
  EXPECT_EQ(only(results).word, Word::traces_remain);
  EXPECT_FALSE(gate(results, default_policy()).passed);
  EXPECT_NE(report::markdown(results).find("TRACES REMAIN"), std::string::npos);
}

TEST(EarlierSchemas, WhatIsMissingWasNotTested) {
  Json json = schema_one();
  for (const char* key : {"under", "over", "equivalent", "utility_loss"}) {
    json["verdicts"][0].erase(key);
  }
  const report::Results results = report::results_of(json, "one");
  EXPECT_EQ(only(results).word, Word::not_tested);
  EXPECT_EQ(only(results).under, Outcome::not_tested);
  EXPECT_FALSE(gate(results, default_policy()).passed);
}

TEST(EarlierSchemas, TwoKeepsItsWord) {
  const report::Results traces = report::results_of(schema_two("TRACES REMAIN", "shown"), "two");
  EXPECT_EQ(only(traces).word, Word::traces_remain);
  const report::Results mixed =
      report::results_of(schema_two("TRACES + OVER-FORGOTTEN", "shown"), "two");
  EXPECT_EQ(only(mixed).word, Word::mixed);
}

TEST(EarlierSchemas, NoVerdictOfTwoIsNotTested) {
  const report::Results results =
      report::results_of(schema_two("NO VERDICT", "inconclusive"), "two");
  EXPECT_EQ(only(results).word, Word::not_tested);
  EXPECT_EQ(only(results).under, Outcome::not_tested);
  EXPECT_FALSE(gate(results, policy_of_words({"under"})).passed);
}

TEST(EarlierSchemas, AnEditedWordFailsThePolicy) {
  Json json = schema_two("TRACES REMAIN", "shown");
  json["verdicts"][0]["word"] = "FORGOTTEN";
  const Gate outcome = gate(report::results_of(json, "two"), default_policy());
  EXPECT_FALSE(outcome.passed);
  EXPECT_TRUE(std::any_of(
      outcome.checks.begin(), outcome.checks.end(), [](const result::PolicyCheck& check) {
        return check.rule.code == result::Code::rule_verdict_follows && !check.passed;
      }));
}

}  // namespace
}  // namespace vestige::practice
