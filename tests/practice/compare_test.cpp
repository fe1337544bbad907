// Comparisons of results whose differences were written by hand.
#include "vestige/practice/compare.h"

#include <gtest/gtest.h>

#include "tests/practice/synthetic_results.h"
#include "vestige/base/error.h"
#include "vestige/result/codec.h"

namespace vestige::practice {
namespace {

using result::Code;
using result::reason;
using testing::synthetic_results;

TEST(Compare, AnAuditAgainstItselfIsQuiet) {
  const report::Results results = synthetic_results();
  const Comparison found = compare(results, results, "a", "b");
  EXPECT_TRUE(found.quiet());
  EXPECT_EQ(found.compared, 4U);
  EXPECT_EQ(found.same_inputs, 2U);
  EXPECT_TRUE(found.inputs.empty());
  EXPECT_TRUE(found.circumstances.empty());
  EXPECT_NE(comparison_text(found).find("no verdict changed\n0 of 4 values"), std::string::npos);
}

TEST(Compare, NamesVerdictsThatChangedCameAndWent) {
  const report::Results before = synthetic_results();
  report::Results after = before;
  after.verdicts[0].word = audit::Word::forgotten;
  after.verdicts[0].under = audit::Outcome::excluded;
  after.verdicts[1].method = "other";
  const Comparison found = compare(before, after, "a", "b");
  ASSERT_EQ(found.verdicts.size(), 3U);
  EXPECT_EQ(found.verdicts[0].method, "loses") << "what is gone is worse, and comes first";
  EXPECT_FALSE(found.verdicts[0].after);
  EXPECT_EQ(found.verdicts[1].before, audit::Word::traces_remain);
  EXPECT_EQ(found.verdicts[1].after, audit::Word::forgotten);
  EXPECT_EQ(found.verdicts[1].answers,
            (std::vector<ChangedAnswer>{
                {VerdictQuestion::under, audit::Outcome::shown, audit::Outcome::excluded}}));
  EXPECT_EQ(found.verdicts[2].method, "other");
  EXPECT_FALSE(found.verdicts[2].before);
}

// 0.10 [0.09, 0.11] against 0.105: each inside the other's interval; against 0.2 [0.19, 0.21]:
// apart, ten half widths of 0.01; against 0.2 [0.05, 0.35] and 0.2 [0.108, 0.292]: they overlap.
TEST(Compare, NamesValuesWhoseIntervalsAreApart) {
  const report::Results before = synthetic_results();
  report::Results after = before;
  metrics::Row& row = after.rows[0].row;
  row.value = 0.105;
  EXPECT_TRUE(compare(before, after, "a", "b").moved.empty());
  row.value = 0.2;
  row.lower = 0.19;
  row.upper = 0.21;
  const Comparison found = compare(before, after, "a", "b");
  ASSERT_EQ(found.moved.size(), 1U);
  EXPECT_EQ(found.moved[0].metric, "holdout_gap.probability");
  EXPECT_EQ(found.moved[0].subject, "unlearned/keeps/0");
  EXPECT_NEAR(found.moved[0].distance, 10, 1e-9);
  row.lower = 0.05;
  row.upper = 0.35;
  EXPECT_TRUE(compare(before, after, "a", "b").moved.empty());
  row.lower = 0.108;
  row.upper = 0.292;
  EXPECT_TRUE(compare(before, after, "a", "b").moved.empty());
}

// A mean of equal numbers and the ends of its interval may differ in the last digits.
TEST(Compare, RoundingOfAnIntervalWithoutWidthIsNoMove) {
  report::Results results = synthetic_results();
  metrics::Row& row = results.rows[0].row;
  row.value = 0.1;
  row.lower = 0.10000000000000006;
  row.upper = 0.10000000000000009;
  EXPECT_TRUE(compare(results, results, "a", "b").moved.empty());
}

TEST(Compare, NamesInputsStatusesAndCircumstances) {
  report::Results before = synthetic_results();
  before.inputs.push_back({{"path", "same.npy"}, {"sha256", "33"}, {"shape", {2}}});
  report::Results after = before;
  after.inputs[0]["sha256"] = "99";
  after.inputs[1]["path"] = "c.npy";
  after.rows[1].row.status = metrics::Status::unreliable;
  after.rows[3].row.settings = {{"alpha", 0.1}};
  after.evidence["grade"] = "A";
  after.run.seed = 2;
  const Comparison found = compare(before, after, "a", "b");
  EXPECT_EQ(found.inputs, (result::Reasons{reason(Code::input_changed, "a.npy"),
                                           reason(Code::input_only_before, "b.npy"),
                                           reason(Code::input_only_after, "c.npy")}));
  ASSERT_EQ(found.statuses.size(), 1U);
  EXPECT_EQ(found.statuses[0].after, metrics::Status::unreliable);
  // Rows of other settings are other numbers.
  EXPECT_EQ(found.only_before, 1U);
  EXPECT_EQ(found.only_after, 1U);
  EXPECT_EQ(found.circumstances,
            (result::Reasons{reason(Code::circumstance_changed, "seed", "1", "2"),
                             reason(Code::circumstance_changed, "evidence quality", "B", "A")}));
}

TEST(Compare, JsonIsReadBack) {
  const report::Results before = synthetic_results();
  report::Results after = before;
  after.verdicts[0].word = audit::Word::mixed;
  after.verdicts[1].method = "other";
  after.rows[1].row.status = metrics::Status::unreliable;
  after.inputs[0]["sha256"] = "99";
  after.rows[3].row.lower = after.rows[3].row.upper = metrics::kUndefined;
  after.rows[3].row.value += 1;
  const Json json = comparison_json(compare(before, after, "a", "b"));
  EXPECT_EQ(comparison_json(result::from_json<Comparison>(json)), json);
  EXPECT_TRUE(json["verdicts"][0]["after"].is_null());
  EXPECT_EQ(json["verdicts"][1]["after"], "mixed");
}

// Arrows end where the later value is: 0.9 of the way from retrained to original, then 0.1; the
// scale has 44 at -1.25 and 450 at 1.25.
TEST(Compare, ThePageDrawsArrowsAndEscapesNames) {
  const report::Results before = synthetic_results();
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

/// The first row of synthetic_results far from where it was, with its interval.
report::Results far(report::Results results) {
  metrics::Row& row = results.rows[0].row;
  row.value += 0.1;
  row.lower += 0.1;
  row.upper += 0.1;
  return results;
}

// Under another seed a change counts only where it exceeds what the seed does to models whose files
// are the same.
TEST(Compare, AChangedSeedAloneListsNothing) {
  const report::Results before = synthetic_results();
  report::Results after = far(before);
  after.run.seed = 2;
  const Comparison found = compare(before, after, "a", "b");
  EXPECT_TRUE(found.seed_alone);
  EXPECT_TRUE(found.moved.empty());
  ASSERT_EQ(found.by_seed.size(), 1U);
  EXPECT_TRUE(found.quiet());
  EXPECT_NE(comparison_text(found).find("0 of 4 values"), std::string::npos);
  EXPECT_EQ(comparison_text(found).find("holdout_gap.probability"), std::string::npos);
}

TEST(Compare, UnchangedModelsShowWhatTheSeedDoes) {
  report::Results before = synthetic_results();
  before.inputs = Json::array({{{"path", "unlearned/keeps/0/forget.npy"}, {"sha256", "1"}},
                               {{"path", "unlearned/loses/0/forget.npy"}, {"sha256", "2"}}});
  report::Results after = far(before);
  after.run.seed = 2;
  after.inputs[0]["sha256"] = "3";  // of the model whose value moved by 0.1
  // The other model did not move at all under the new seed.
  EXPECT_EQ(compare(before, after, "a", "b").moved.size(), 1U);
  // It moved by 0.15, so that 0.1 is no more than the seed does.
  after.rows[2].row.value += 0.15;
  const Comparison found = compare(before, after, "a", "b");
  EXPECT_TRUE(found.moved.empty());
  EXPECT_EQ(found.by_seed.size(), 1U);
  EXPECT_FALSE(found.seed_alone);
}

TEST(Compare, ValuesWithoutAnIntervalAreListedUnderTheSameSeedOnly) {
  report::Results before = synthetic_results();
  before.rows[0].row.lower = before.rows[0].row.upper = metrics::kUndefined;
  report::Results after = before;
  after.rows[0].row.value += 0.1;
  const Comparison same = compare(before, after, "a", "b");
  EXPECT_EQ(same.without_changed.size(), 1U);
  EXPECT_FALSE(same.quiet());
  after.run.seed = 2;
  EXPECT_TRUE(compare(before, after, "a", "b").without_changed.empty());
}

TEST(Compare, SaysWhatIsWorse) {
  const report::Results before = synthetic_results();  // keeps: traces; loses: not decided
  const auto worse = [&before](audit::Word word, std::size_t verdict) {
    report::Results after = before;
    after.verdicts[verdict].word = word;
    return compare(before, after, "a", "b").worse();
  };
  const std::vector<std::string> none, keeps = {"keeps"}, loses = {"loses"};
  EXPECT_EQ(worse(audit::Word::forgotten, 0), none);
  EXPECT_EQ(worse(audit::Word::not_decided, 0), none);
  EXPECT_EQ(worse(audit::Word::not_tested, 0), keeps) << "what is no longer tested is no progress";
  EXPECT_EQ(worse(audit::Word::traces_remain, 1), loses);
  EXPECT_EQ(worse(audit::Word::not_tested, 1), loses);
  EXPECT_EQ(worse(audit::Word::forgotten, 1), none);
  report::Results after = before;
  after.verdicts.pop_back();
  EXPECT_EQ(compare(before, after, "a", "b").worse(), loses) << "a method that is gone";
  EXPECT_EQ(compare(after, before, "a", "b").worse(), none) << "a new one";
  after = before;
  after.verdicts[1].over = audit::Outcome::undecided;  // was excluded
  EXPECT_EQ(compare(before, after, "a", "b").worse(), loses);
  after.verdicts[0].word = audit::Word::forgotten;
  EXPECT_EQ(compare(before, after, "a", "b").verdicts.front().method, "loses") << "worse first";
}

TEST(Compare, OtherDataIsRefused) {
  report::Results before = synthetic_results();
  before.evidence["kind"] = "logits";
  before.evidence["rows"] = {{"forget", 400}, {"calibration", 10}};
  before.inputs.push_back({{"path", "labels/forget.npy"}, {"sha256", "33"}, {"shape", {400}}});
  const auto refusal = [&before](const report::Results& after) -> std::string {
    try {
      compare(before, after, "old.json", "new.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  report::Results after = before;
  after.inputs[0]["sha256"] = after.inputs[1]["sha256"] = "99";
  after.evidence["rows"]["calibration"] = 20;
  EXPECT_EQ(refusal(after), "accepted") << "other outputs for the same labels";
  after.inputs[2]["sha256"] = "44";
  EXPECT_NE(refusal(after).find("not about the same data: labels/forget differs"),
            std::string::npos);
  after = before;
  after.evidence["rows"]["forget"] = 300;
  EXPECT_NE(refusal(after).find("forget has 400 examples in the first and 300 in the second"),
            std::string::npos);
  after = before;
  after.evidence["kind"] = "losses";
  EXPECT_NE(refusal(after).find("not about the same data"), std::string::npos);
  // Nothing shows that it is the same data.
  after = before;
  after.inputs = Json::array({{{"path", "a.npy"}, {"sha256", "77"}}});
  EXPECT_NE(refusal(after).find("no input file in common"), std::string::npos);
}

// A mark of the latest audit is opaque; a method that is not in it has pale marks alone.
TEST(Compare, AMethodThatIsGoneIsNotDrawnAsCurrent) {
  const report::Results before = synthetic_results();
  report::Results after = before;
  after.verdicts.erase(after.verdicts.begin());  // "keeps"
  const std::string page =
      comparison_page({{"old", &before}, {"new", &after}}, {compare(before, after, "old", "new")});
  const std::size_t start = page.find("<b>keeps</b>"), end = page.find("</tr>", start);
  ASSERT_NE(start, std::string::npos);
  const std::string line = page.substr(start, end - start);
  EXPECT_NE(line.find("not in the latest audit"), std::string::npos) << line;
  EXPECT_NE(line.find("opacity=\"0.45\""), std::string::npos) << line;
  EXPECT_EQ(line.find("opacity=\"1\""), std::string::npos) << line;
  const std::size_t other = page.find("<b>loses</b>");
  EXPECT_NE(page.find("opacity=\"1\"", other), std::string::npos);
}

}  // namespace
}  // namespace vestige::practice
