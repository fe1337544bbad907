// The page's text: what hostile or broken results cannot do to it. tests/web opens it in a browser.
#include "vestige/report/page/html.h"

#include <gtest/gtest.h>

#include "tests/report/made_results.h"
#include "vestige/base/error.h"
#include "vestige/metrics/family.h"
#include "vestige/report/page/page_data.h"
#include "vestige/report/page/web_files.h"
#include "vestige/words/words.h"

namespace vestige::report {
namespace {

using testing::made_results;
using testing::made_row;
using testing::read;

/// The data inside a page.
std::string data_of(const std::string& page) {
  const std::string open = "<script type=\"application/json\" id=\"results\">";
  const std::size_t start = page.find(open);
  EXPECT_NE(start, std::string::npos);
  const std::size_t end = page.find("</script>", start);
  return page.substr(start + open.size(), end - start - open.size());
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++found;
  }
  return found;
}

TEST(Html, HoldsItsDataAndNoForeignMarkup) {
  const std::string plain = html(read(made_results()));
  for (const std::string name :
       {"<script>alert(1)</script>", "</script><b>", "\"'><img src=x onerror=alert(1)>", "a&b<!--",
        "\xe2\x80\xa8", "{{data}}", "{{vega}}"}) {
    Json results = made_results(name);
    results["evidence"]["path"] = name;
    results["schema"] = 2;  // its remarks are texts
    results["remarks"] = {name, name};
    const std::string page = html(read(results));
    EXPECT_EQ(count(page, "<script"), count(plain, "<script")) << name;
    EXPECT_EQ(count(page, "</script"), count(plain, "</script")) << name;
    EXPECT_EQ(count(page, "<img"), count(plain, "<img")) << name;
    const std::string data = data_of(page);
    EXPECT_EQ(data.find_first_of("<>&"), std::string::npos) << name;
    EXPECT_EQ(data.find("\xe2\x80\xa8"), std::string::npos) << name;
    // It is the same text again once it has been read.
    EXPECT_EQ(Json::parse(data)["remarks"][0]["texts"][1], words::as_sentence(name));
    EXPECT_EQ(Json::parse(data)["evidence"]["path"], name);
  }
}

// Verdicts of language models rest on likelihoods of kept rows, asked for or not.
TEST(Html, MetricsOfVerdictsHaveTheirNames) {
  Results results = read(made_results());
  audit::Verdict verdict;
  verdict.method = "npo";
  verdict.tests.resize(1);
  verdict.tests[0].metric = "utility.likelihood.retain";
  results.verdicts = {verdict};
  const Json data = Json::parse(data_of(html(results)));
  EXPECT_EQ(data["names"]["utility.likelihood.retain"],
            metrics::find_metric("utility.likelihood.retain")->name);
}

TEST(Html, NamesThatAreNoUtf8AreReplaced) {
  Json results = made_results();
  results["evidence"]["path"] = "caf\xe9";
  results["results"][1]["subject"]["method"] = "\xff\xfe";
  const Json data = Json::parse(data_of(html(read(results))));
  EXPECT_EQ(data["evidence"]["path"], "caf\xef\xbf\xbd");
}

TEST(Html, ForbidsEveryScriptButItsOwnAndTheNetwork) {
  const std::string page = html(read(made_results()));
  const std::size_t start = page.find("content=\"default-src 'none'");
  ASSERT_NE(start, std::string::npos);
  const std::string policy = page.substr(start, page.find("\">", start) - start);
  EXPECT_NE(policy.find("script-src 'sha256-"), std::string::npos);
  EXPECT_EQ(policy.find("unsafe-eval"), std::string::npos);
  EXPECT_EQ(policy.find("script-src 'unsafe-inline'"), std::string::npos);
  EXPECT_EQ(policy.find("connect-src"), std::string::npos);
  EXPECT_EQ(policy.find("http"), std::string::npos);
  // The page's own markup asks for no file.
  EXPECT_EQ(web_template().find("<link"), std::string_view::npos);
  EXPECT_EQ(web_template().find(" src="), std::string_view::npos);
  EXPECT_EQ(web_style().find("url("), std::string_view::npos);
}

// The scripts are put into script elements as they are.
TEST(Html, OwnScriptsDoNotEndTheirElement) {
  for (const std::string_view script : {web_script(), web_vega()}) {
    EXPECT_EQ(script.find("</script"), std::string_view::npos);
    EXPECT_EQ(script.find("<!--"), std::string_view::npos);
  }
}

TEST(Html, UndefinedAndInfiniteValuesAreKept) {
  Json results = made_results();
  results["results"][1]["value"] = nullptr;
  results["results"][1]["status"] = "undefined";
  results["results"][1]["note"] = "one class only";
  results["results"][4]["value"] = "inf";
  const Json rows = Json::parse(data_of(html(read(results))))["rows"];
  EXPECT_EQ(rows["n"], 6);
  EXPECT_TRUE(rows["columns"]["value"][1].is_null());
  EXPECT_EQ(rows["columns"]["value"][4], "inf");
  EXPECT_EQ(rows["columns"]["note"]["names"], Json::array({"", "one class only"}));
}

TEST(Html, RefusesWhatIsNoResult) {
  EXPECT_THROW(read(Json::array()), InputError);
  EXPECT_THROW(read(Json{{"schema", 4}, {"results", Json::array()}}), InputError);
  EXPECT_THROW(read(Json{{"schema", 2}, {"results", {{"metric", "x"}}}}), InputError);
  EXPECT_THROW(read(Json{{"schema", 1}, {"results", {{{"metric", "x"}}}}}), InputError);
}

// By hand: two texts, one of them twice; a number column; a column with one value.
TEST(PageData, PacksColumns) {
  const Json packed_rows = packed(Json::array({{{"a", "x"}, {"b", 1}, {"c", true}},
                                               {{"a", "y"}, {"b", 2}, {"c", true}},
                                               {{"a", "x"}, {"c", true}}}));
  EXPECT_EQ(packed_rows, (Json{{"n", 3},
                               {"columns",
                                {{"a", {{"names", {"x", "y"}}, {"at", {0, 1, 0}}}},
                                 {"b", {1, 2, nullptr}},
                                 {"c", {{"all", true}}}}}}));
}

TEST(PageData, KeepsMainRowsOfVeryManyAndSaysSo) {
  Json results = made_results();
  const Json one = made_row("iam.online.tpr", "unlearned/finetune/0", 0.5);
  for (std::size_t i = 0; i < kMostPageRows; ++i) {
    results["results"].push_back(one);
    results["results"].back()["settings"] = {{"fpr", i}};
  }
  const Json page = page_data(read(results));
  EXPECT_EQ(page["rows_in_results"], kMostPageRows + 6);
  EXPECT_EQ(page["rows"]["n"], 7);  // the six above, and the first setting of the other
}

// At 0.1.0 they were shown as methods.
TEST(PageData, CheckpointsSayWhatTheyAre) {
  const Json page = page_data(read(testing::with_checkpoint()));
  const Json& control = page["rows"]["columns"]["control"];
  EXPECT_EQ(control["names"], Json::array({"retrained", "", "original", "checkpoint"}));
  EXPECT_EQ(control["at"], Json::array({0, 1, 2, 0, 1, 2, 3, 3}));
  EXPECT_EQ(page["methods"],
            Json::array({"retrained", "finetune", "original", "checkpoint/original.0.5"}));
}

}  // namespace
}  // namespace vestige::report
