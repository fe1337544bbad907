// results.json: fields, their order, and what has no JSON number.
#include "vestige/report/json/results_json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/small_evidence.h"
#include "vestige/words/words.h"

namespace vestige::report {
namespace {

std::vector<std::string> keys(const Json& json) {
  std::vector<std::string> names;
  for (const auto& [key, value] : json.items()) names.push_back(key);
  return names;
}

audit::AuditResult result_with(const metrics::Row& row) {
  audit::AuditResult result;
  result.rows = {row};
  result.columns = {{"epsilon.ft", "forget", {1, 2}, {}, 1, metrics::Control::none}};
  result.remarks = {{result::Cause::care, {"iam.auc"}, result::Code::no_unlearned_model}};
  result.skipped = {{"iam", result::reason(result::Code::only_on_request, "iam")}};
  result.grade = {'B', result::Code::grade_one_retrained};
  return result;
}

metrics::Row full_row() {
  metrics::Row row;
  row.metric = "epsilon.f_score";
  row.subject = {"unlearned", "ft", ""};
  row.value = 0.25;
  row.lower = 0.125;
  row.upper = 0.5;
  row.interval = result::Code::bootstrap_models_fixed;
  row.n = 2;
  row.direction = metrics::Direction::higher;
  row.ideal = 1;
  row.reference = 0.75;
  row.status = metrics::Status::unreliable;
  row.notes = {result::reason(result::Code::message, "why")};
  row.control = metrics::Control::original;
  row.settings = {{"models", 4}};
  row.facts = {{"k", 3}};
  row.seed = 7;
  row.terms = {0.2, 0.3};
  return row;
}

Json written(const metrics::Row& row) {
  auto evidence = testing::small_evidence({testing::small_group("original", "", 2)});
  evidence.inputs = {{"labels/forget.npy", "abc", {2}}};
  return Json::parse(results_text(audit_results(
      evidence, {{evidence::Severity::warning, "x.npy", result::Code::one_column}},
      result_with(row),
      {.command = "vestige audit x", .seed = 7, .threads = 3, .started = "now", .seconds = 1.5})));
}

// The schema of docs/reference/audit-output.md.
TEST(ResultsJson, TopLevelFieldsInOrder) {
  const Json json = written(full_row());
  EXPECT_EQ(keys(json),
            (std::vector<std::string>{"schema", "tool", "run", "evidence", "inputs", "remarks",
                                      "skipped", "results", "series", "verdicts", "remembered",
                                      "correlations", "samples"}));
  EXPECT_EQ(json["schema"], 3);
  EXPECT_EQ(json["tool"]["name"], "vestige");
  EXPECT_TRUE(json["tool"].contains("version"));
  EXPECT_EQ(json["run"]["command"], "vestige audit x");
  EXPECT_EQ(json["run"]["seed"], 7);
  EXPECT_EQ(json["run"]["threads"], 3);
  EXPECT_EQ(json["inputs"][0],
            (Json{{"path", "labels/forget.npy"}, {"sha256", "abc"}, {"shape", {2}}}));
  EXPECT_EQ(json["remarks"],
            Json::array({{{"cause", "care"},
                          {"metrics", {"iam.auc"}},
                          {"reason",
                           {{"code", "no_unlearned_model"},
                            {"arguments", Json::object()},
                            {"text", words::text(result::Code::no_unlearned_model)}}}}}));
  EXPECT_EQ(json["skipped"][0]["group"], "iam");
  EXPECT_EQ(json["evidence"]["grade"], "B");
  EXPECT_EQ(json["evidence"]["models"]["original"], 2);
  EXPECT_EQ(json["evidence"]["rows"]["forget"], 2);
  const Json& check = json["evidence"]["checks"][0];
  EXPECT_EQ(check["severity"], "warning");
  EXPECT_EQ(check["file"], "x.npy");
  EXPECT_EQ(check["reason"]["code"], "one_column");
  EXPECT_EQ(check["text"].get<std::string>().substr(0, 20), "x.npy has one column");
  EXPECT_EQ(json["evidence"]["findings"][0], check["text"]);
  EXPECT_EQ(json["samples"]["file"], "samples.csv");
  EXPECT_EQ(json["samples"]["columns"][0]["name"], "epsilon.ft");
}

TEST(ResultsJson, RowFieldsInOrder) {
  const Json row = written(full_row())["results"][0];
  EXPECT_EQ(
      row.dump(),
      R"({"metric":"epsilon.f_score","subject":{"role":"unlearned","method":"ft","name":""},)"
      R"("value":0.25,"lower":0.125,"upper":0.5,"interval":{"code":"bootstrap_models_fixed","arguments":{},)"
      R"("text":"bootstrap 95 % over examples, models fixed"},"n":2,"direction":"higher","ideal":1.0,)"
      R"("reference":0.75,"status":"unreliable","notes":[{"code":"message",)"
      R"("arguments":{"text":"why"},"text":"why"}],"control":"original",)"
      R"("settings":{"models":4},"facts":{"k":3},"seed":7})");
}

TEST(ResultsJson, UndefinedIsNull) {
  metrics::Row row = full_row();
  row.value = row.lower = row.upper = row.ideal = row.reference = std::nan("");
  row.facts["inner"] = std::nan("");
  row.control = metrics::Control::none;
  const Json json = written(row)["results"][0];
  for (const char* field : {"value", "lower", "upper", "ideal", "reference"}) {
    EXPECT_TRUE(json[field].is_null()) << field;
  }
  EXPECT_TRUE(json["facts"]["inner"].is_null());
  EXPECT_EQ(json["control"], "");
}

TEST(ResultsJson, NumbersComeBackExactly) {
  metrics::Row row = full_row();
  for (const double value : {0.1, 1.0 / 3, 5e-324, 1.7976931348623157e308, -0.0}) {
    row.value = value;
    EXPECT_EQ(written(row)["results"][0]["value"].get<double>(), value);
  }
}

// The contract with the page: docs/reference/audit-output.md.
TEST(ResultsJson, VerdictsRememberedRowsAndSeries) {
  audit::AuditResult result = result_with(full_row());
  audit::Verdict verdict;
  verdict.method = "ft";
  verdict.subject = {"unlearned", "ft", ""};
  verdict.under = audit::Outcome::shown;
  verdict.over = audit::Outcome::excluded;
  verdict.word = audit::Word::traces_remain;
  verdict.form = audit::Form::unseen;
  verdict.earlier_sentence = "ft: traces remain.";
  verdict.limits = {result::reason(result::Code::message, "nothing else")};
  audit::VerdictTest test;
  test.metric = "iam.online.auc";
  test.difference = {
      .estimate = -0.15, .lower = -0.2, .upper = -0.1, .p = 0.01, .how = result::Code::by_mover};
  test.margin = 0.04;
  test.shows = audit::Leaning::under;
  verdict.tests = {test};
  result.verdicts = {verdict};
  result.remembered.columns = {"epsilon.ft"};
  result.remembered.rows = {{1, "b", "bob", 3, {std::nan("")}}};
  metrics::Series series{"roc", "attacks.loss",        verdict.subject, "", {},
                         {},    metrics::Control::none};
  series.columns = {{"fpr", {0, 1.0 / 3, 1}}, {"tpr", {0, std::nan(""), 1}}};
  result.series = {series};
  const Json json =
      Json::parse(results_text(audit_results(testing::small_evidence({}), {}, result, {})));
  const Json& seen = json["verdicts"][0];
  EXPECT_EQ(keys(seen), (std::vector<std::string>{"variant",
                                                  "method",
                                                  "subject",
                                                  "word",
                                                  "under",
                                                  "over",
                                                  "equivalent",
                                                  "utility_loss",
                                                  "form",
                                                  "margin",
                                                  "hardly_changed",
                                                  "moved",
                                                  "signals_must_agree",
                                                  "same_as",
                                                  "uneven",
                                                  "measurable_within_margin",
                                                  "obstacle",
                                                  "utility_missing",
                                                  "ruin",
                                                  "cautions",
                                                  "limits",
                                                  "tests",
                                                  "additions",
                                                  "earlier_reason",
                                                  "earlier_sentence",
                                                  "reason",
                                                  "sentence",
                                                  "cannot"}));
  EXPECT_EQ(seen["word"], "traces_remain");
  EXPECT_EQ(seen["form"], "unseen_examples");
  EXPECT_EQ(seen["under"], "shown");
  EXPECT_EQ(seen["over"], "excluded");
  EXPECT_EQ(seen["equivalent"], "not_tested");
  EXPECT_EQ(seen["tests"][0]["difference"]["estimate"], -0.15);
  EXPECT_EQ(seen["tests"][0]["difference"]["how"]["code"], "by_mover");
  EXPECT_EQ(seen["tests"][0]["margin"], 0.04);
  EXPECT_EQ(seen["tests"][0]["shows"], "under");
  EXPECT_EQ(json["remembered"].dump(),
            R"({"split":"forget","columns":["epsilon.ft"],"rows":[{"row":1,"id":"b","label":3,)"
            R"("subject":"bob","scores":[null]}],"pictures":[]})");
  EXPECT_EQ(json["series"][0]["columns"].dump(),
            R"({"fpr":[0.0,0.333333,1.0],"tpr":[0.0,null,1.0]})")
      << "six digits";
}

// File names are bytes; JSON is UTF-8.
TEST(ResultsJson, BytesThatAreNoTextAreReplaced) {
  metrics::Row row = full_row();
  row.subject.method = "\xff\xfe\"\n";
  const Json json = written(row);
  EXPECT_NE(json["results"][0]["subject"]["method"].get<std::string>().find("\xef\xbf\xbd"),
            std::string::npos);
}

TEST(ResultsJson, EndsInANewline) {
  const std::string text =
      results_text(audit_results(testing::small_evidence({}), {}, audit::AuditResult{}, {}));
  EXPECT_EQ(text.back(), '\n');
  EXPECT_TRUE(Json::parse(text)["results"].is_array());
}

}  // namespace
}  // namespace vestige::report
