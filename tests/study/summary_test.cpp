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

}  // namespace
}  // namespace vestige::study
