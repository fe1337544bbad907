// Requests and policies in results.json of schema 2, written by hand after
// docs/reference/audit-output.md of 0.2.
#include <gtest/gtest.h>

#include <cmath>

#include "vestige/base/error.h"
#include "vestige/report/json/read_results.h"
#include "vestige/words/words.h"

namespace vestige::practice {
namespace {

Json earlier_results() {
  return Json::parse(R"({
    "schema": 2, "results": [],
    "requests": {
      "signal": "probability of the true class", "missing": "", "level": 0.05, "power": 0.8,
      "methods": [
        {"method": "finetune", "rows_needed": 24, "requests": [
          {"request": "a", "subject": "", "date": "2026-10-02", "rows": 30, "word": "TRACES REMAIN",
           "difference": 0.2, "share": 0.5, "p": 0.001, "adjusted": 0.003, "power": 0.9},
          {"request": "b", "rows": 40, "word": "NO TRACE SHOWN", "p": 0.4, "power": 0.95},
          {"request": "c", "rows": 2, "word": "CANNOT BE DECIDED", "p": 0.3, "power": 0.1}]},
        {"method": "other", "rows_needed": null, "requests": [
          {"request": "a", "rows": 30, "word": "CANNOT BE DECIDED", "p": null}]}],
      "near_duplicates": [
        {"forget": 3, "retain": 17, "similarity": 0.99, "by": "activations penultimate"},
        {"forget": 5, "retain": 1, "similarity": 0.9, "by": "text"}]},
    "gate": {"policy": "p.toml", "sha256": "00", "title": "T", "passed": false, "checks": [
      {"rule": "no verdict under", "method": "finetune", "passed": false,
       "text": "TRACES REMAIN: under-forgetting shown"}]}})");
}

TEST(EarlierResults, RequestsHaveThePresentWords) {
  using result::RequestWord;
  const report::Results results = report::results_of(earlier_results(), "test");
  ASSERT_TRUE(results.requests);
  const result::Requests& found = *results.requests;
  EXPECT_EQ(found.signal, result::RequestSignal::probability);
  EXPECT_EQ(found.level, 0.05);
  ASSERT_EQ(found.methods.size(), 2U);
  EXPECT_EQ(found.methods[0].examples_needed, 24U);
  EXPECT_FALSE(found.methods[1].examples_needed);
  const auto& requests = found.methods[0].requests;
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].word, RequestWord::traces_remain);
  EXPECT_EQ(requests[0].examples, 30U);
  EXPECT_EQ(requests[0].share, 0.5);
  EXPECT_EQ(requests[1].word, RequestWord::no_trace_detected);
  EXPECT_EQ(requests[2].word, RequestWord::not_decided);
  // Without a p-value nothing was tested.
  EXPECT_EQ(found.methods[1].requests.at(0).word, RequestWord::not_tested);
  ASSERT_EQ(found.near_duplicates.size(), 2U);
  EXPECT_EQ(found.near_duplicates[0].by, result::Likeness::activations);
  EXPECT_EQ(found.near_duplicates[0].layer, "penultimate");
  EXPECT_EQ(found.near_duplicates[1].by, result::Likeness::text);
}

TEST(EarlierResults, AnUnknownWordOfARequestIsRefused) {
  Json json = earlier_results();
  json["requests"]["methods"][0]["requests"][0]["word"] = "PERHAPS";
  EXPECT_THROW(report::results_of(json, "test"), InputError);
}

TEST(EarlierResults, PolicyChecksKeepTheirTexts) {
  const report::Results results = report::results_of(earlier_results(), "test");
  ASSERT_TRUE(results.gate);
  EXPECT_FALSE(results.gate->passed);
  EXPECT_EQ(results.gate->sha256, "00");
  const result::PolicyCheck& check = results.gate->checks.at(0);
  EXPECT_EQ(words::text(check.rule), "no verdict under");
  EXPECT_EQ(words::text(check.findings), "TRACES REMAIN: under-forgetting shown");
}

}  // namespace
}  // namespace vestige::practice
