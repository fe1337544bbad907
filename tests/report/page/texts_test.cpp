// Texts of rows: cut between words, whatever the bytes, and with what models went on to say.
#include "vestige/report/page/texts.h"

#include <gtest/gtest.h>

#include "vestige/evidence/formats/utf8.h"
#include "vestige/report/json/read_results.h"
#include "vestige/report/json/results_json.h"
#include "vestige/report/page/html.h"
#include "vestige/report/page/page_data.h"

namespace vestige::report {
namespace {

evidence::Evidence two_rows() {
  evidence::Evidence evidence;
  evidence.text["forget"] = {"the first row", "the second row"};
  evidence.text["forget.continuation"] = {"goes on", "ends"};
  for (const char* role : {"retrained", "original"}) {
    for (const char* name : {"0", "1"}) {
      evidence::Model model;
      model.role = role;
      model.name = name;
      model.generated["forget"] = {std::string(role) + name + " one", "two"};
      if (evidence.find(role) == nullptr) evidence.groups.push_back({role, "", {}});
      evidence.groups.back().models.push_back(std::move(model));
    }
  }
  return evidence;
}

TEST(Beginning, IsCutBetweenWordsAndSaysSo) {
  EXPECT_EQ(beginning("short", 5), "short");
  // Of 18 letters the last fifth begins with the 15th; the 18th is a space.
  EXPECT_EQ(beginning("abcde fghij klmno pqrstuvw", 18), "abcde fghij klmno…");
  EXPECT_EQ(beginning("abcdefghijklmnopqrstuvw", 10), "abcdefghij…") << "one long word";
  EXPECT_EQ(beginning("", 10), "");
}

// Letters, not bytes, are counted, and none is cut in two.
TEST(Beginning, CountsCodePoints) {
  EXPECT_EQ(beginning("äöüß", 4), "äöüß");
  EXPECT_EQ(beginning("äöüßé", 4), "äöüß…");
  EXPECT_EQ(beginning("日本語日本語", 3), "日本語…");
}

TEST(Beginning, WhatIsNoTextBecomesSpaces) {
  EXPECT_EQ(beginning("a\tb\x1b[31m", 20), "a b [31m");
  EXPECT_EQ(beginning("a\xff\xc3", 20), "a  ");
  EXPECT_TRUE(evidence::is_utf8(beginning("\xe6\x97", 1)));
}

TEST(Texts, AreInTheOrderOfTheRowsWithTheFirstModelOfEachGroup) {
  const std::vector<std::size_t> rows = {1, 0, 7};
  const Json json = texts_json(two_rows(), rows);
  ASSERT_EQ(json.size(), 2U);  // there is no row 7
  EXPECT_EQ(json[0], Json::parse(R"({"row": 1, "text": "the second row", "continuation": "ends",
      "said": [{"model": "original/0", "text": "two"}, {"model": "retrained/0", "text": "two"}]})"));
  EXPECT_EQ(json[1]["said"][0]["text"], "original0 one");
}

TEST(Texts, EvidenceWithoutThemGivesNone) {
  evidence::Evidence evidence = two_rows();
  evidence.text.erase("forget");
  EXPECT_EQ(texts_json(evidence, std::vector<std::size_t>{0}), Json::array());
}

TEST(Texts, AreFewAndShort) {
  evidence::Evidence evidence = two_rows();
  evidence.text["forget"].assign(100, std::string(100000, 'x'));
  std::vector<std::size_t> rows(100);
  for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = row;
  const Json json = texts_json(evidence, rows);
  EXPECT_EQ(json.size(), kMostTexts);
  EXPECT_LT(json.dump().size(), kMostTexts * (kMostTextLetters + 200));
}

// Through results.json and back, and onto the page as data that ends no script.
TEST(Texts, GoThroughResultsToThePage) {
  evidence::Evidence evidence = two_rows();
  evidence.text["forget"][0] = "</script><script>window.hacked = 1</script>";
  Results results;
  results.texts = texts_json(evidence, std::vector<std::size_t>{0});
  const Results again = results_of(Json::parse(results_text(results)), "results.json");
  EXPECT_EQ(again.texts, results.texts);
  EXPECT_EQ(page_data(again)["remembered"]["texts"], results.texts);
  EXPECT_EQ(html(again).find("<script>window.hacked"), std::string::npos);
}

}  // namespace
}  // namespace vestige::report
