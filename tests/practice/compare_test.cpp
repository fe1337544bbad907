// Comparisons of results whose differences were written by hand.
#include "vestige/practice/compare.h"

#include <gtest/gtest.h>

#include "tests/practice/made_up_results.h"

namespace vestige::practice {
namespace {

using testing::made_up_results;

TEST(Compare, AnAuditAgainstItselfIsQuiet) {
  const report::Results results = made_up_results();
  const Comparison found = compare(results, results, "a", "b");
  EXPECT_TRUE(found.quiet());
  EXPECT_EQ(found.compared, 4U);
  EXPECT_EQ(found.same_inputs, 2U);
  EXPECT_TRUE(found.inputs.empty());
  EXPECT_TRUE(found.circumstances.empty());
  EXPECT_NE(comparison_text(found).find("no verdict changed\n0 of 4 numbers"), std::string::npos);
}

TEST(Compare, NamesVerdictsThatChangedCameAndWent) {
  const report::Results before = made_up_results();
  report::Results after = before;
  after.verdicts[0].word = audit::Word::forgotten;
  after.verdicts[0].under = audit::Shown::not_shown;
  after.verdicts[1].method = "other";
  const Comparison found = compare(before, after, "a", "b");
  ASSERT_EQ(found.verdicts.size(), 3U);
  EXPECT_EQ(found.verdicts[0].before, "TRACES REMAIN");
  EXPECT_EQ(found.verdicts[0].after, "FORGOTTEN");
  EXPECT_EQ(found.verdicts[0].answers,
            std::vector<std::string>{"under-forgetting: shown -> not shown"});
  EXPECT_EQ(found.verdicts[1].method, "loses");
  EXPECT_EQ(found.verdicts[1].after, "");
  EXPECT_EQ(found.verdicts[2].method, "other");
  EXPECT_EQ(found.verdicts[2].before, "");
}

// 0.10 [0.09, 0.11] against 0.105: each inside the other's interval; against 0.2 [0.19, 0.21]:
// outside, ten half widths of 0.01 apart; against 0.2 [0.05, 0.35]: 0.10 is inside the later one.
TEST(Compare, NamesValuesOutsideEachOthersIntervals) {
  const report::Results before = made_up_results();
  report::Results after = before;
  metrics::Row& row = after.rows[0].row;
  row.value = 0.105;
  EXPECT_TRUE(compare(before, after, "a", "b").moved.empty());
  row.value = 0.2;
  row.lower = 0.19;
  row.upper = 0.21;
  const Comparison found = compare(before, after, "a", "b");
  ASSERT_EQ(found.moved.size(), 1U);
  EXPECT_EQ(found.moved[0].metric, "yardstick.probability");
  EXPECT_EQ(found.moved[0].subject, "unlearned/keeps/0");
  EXPECT_NEAR(found.moved[0].distance, 10, 1e-9);
  row.lower = 0.05;
  row.upper = 0.35;
  EXPECT_TRUE(compare(before, after, "a", "b").moved.empty());
}

// A mean of equal numbers and the ends of its interval may differ in the last digits.
TEST(Compare, RoundingOfAnIntervalWithoutWidthIsNoMove) {
  report::Results results = made_up_results();
  metrics::Row& row = results.rows[0].row;
  row.value = 0.1;
  row.lower = 0.10000000000000006;
  row.upper = 0.10000000000000009;
  EXPECT_TRUE(compare(results, results, "a", "b").moved.empty());
}

TEST(Compare, NamesInputsStatusesAndCircumstances) {
  const report::Results before = made_up_results();
  report::Results after = before;
  after.inputs[0]["sha256"] = "99";
  after.inputs[1]["path"] = "c.npy";
  after.rows[1].row.status = metrics::Status::unreliable;
  after.rows[3].row.settings = {{"alpha", 0.1}};
  after.evidence["grade"] = "A";
  after.run.seed = 2;
  const Comparison found = compare(before, after, "a", "b");
  EXPECT_EQ(found.inputs,
            (std::vector<std::string>{"a.npy: other bytes", "b.npy: only in the earlier one",
                                      "c.npy: only in the later one"}));
  ASSERT_EQ(found.statuses.size(), 1U);
  EXPECT_EQ(found.statuses[0].after, "unreliable");
  // Rows of other settings are other numbers.
  EXPECT_EQ(found.only_before, 1U);
  EXPECT_EQ(found.only_after, 1U);
  EXPECT_EQ(found.circumstances,
            (std::vector<std::string>{"seed: 1 -> 2", "grade of evidence: B -> A"}));
}

// Arrows end where the later value is: 0.9 of the way from retrained to original, then 0.1; the
// scale has 44 at -1.25 and 450 at 1.25.
TEST(Compare, ThePageDrawsArrowsAndEscapesNames) {
  const report::Results before = made_up_results();
  report::Results after = before;
  after.verdicts[0].tests[0].difference.estimate = 0.01;
  after.verdicts[1].method = "<script>";
  const std::string page = comparison_page({{"old.json", &before}, {"new.json", &after}},
                                           {compare(before, after, "old.json", "new.json")});
  const auto x = [](double value) { return 44 + (value + 1.25) / 2.5 * (450 - 44); };
  EXPECT_NE(page.find(fmt::format("d=\"M{:.1f} 13.0H{:.1f}m6.0 -3", x(0.9), x(0.1))),
            std::string::npos);
  EXPECT_EQ(page.find("<script>"), std::string::npos);
  EXPECT_NE(page.find("&lt;script&gt;"), std::string::npos);
}

}  // namespace
}  // namespace vestige::practice
