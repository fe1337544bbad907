// "returns under PROBE" in verdicts: how often freshly retrained models raise a false alarm and
// true returns are detected, on models with known answers, and the words.
#include "vestige/audit/verdicts/additions.h"

#include <gtest/gtest.h>

#include "tests/audit/known_models.h"
#include "vestige/audit/audit.h"
#include "vestige/practice/policy.h"
#include "vestige/report/json/parts_json.h"
#include "vestige/report/json/row_json.h"
#include "vestige/words/verdicts.h"
#include "vestige/words/words.h"

namespace vestige::audit {
namespace {

/// The probe "again" puts another model of the same kind in the place of each: nothing returns to
/// a fresh method. Half-forgotten and untouched models stand for what came back.
Evidence probed_draw(const std::string& comes_back, std::mt19937_64& generator) {
  const KnownModels& from = known();
  const auto retrained = shuffled(from.models("retrained"), generator);
  const auto originals = shuffled(from.models("original"), generator);
  Evidence evidence;
  from.add(evidence, "original", "", "original", part(originals, 0, 2));
  from.add(evidence, "retrained", "", "retrained", part(retrained, 0, 2));
  from.add(evidence, "unlearned", "method", "retrained", part(retrained, 2, 2));
  from.add(evidence, "probed", "again/original", "original", part(originals, 2, 2));
  from.add(evidence, "probed", "again/retrained", "retrained", part(retrained, 4, 2));
  const auto after = shuffled(from.models(comes_back), generator);
  from.add(evidence, "probed", "again/unlearned/method", comes_back,
           comes_back == "retrained" ? part(retrained, 6, 2) : part(after, 0, 2));
  return evidence;
}

std::size_t seen_in(const std::string& comes_back, int draws) {
  std::mt19937_64 generator(7);
  std::size_t seen = 0;
  for (int i = 0; i < draws; ++i) {
    const Evidence evidence = probed_draw(comes_back, generator);
    const AuditResult result = audit(evidence, {.metrics = {"returns"}});
    if (!result.verdicts.front().additions.empty()) ++seen;
  }
  return seen;
}

// Level 5 %: more than 4 of 20 would be seen once in 400 runs (binomial).
TEST(AdditionRates, FalseAlarmsAreRare) { EXPECT_LE(seen_in("retrained", 20), 4U); }

TEST(AdditionRates, WhatComesBackIsSeen) {
  EXPECT_EQ(seen_in("original", 10), 10U);
  EXPECT_GE(seen_in("half", 10), 9U);
}

// A narrower choice of metrics must not make a return disappear without a word.
TEST(Additions, WhatWasNotAskedForIsSaidToBeMissing) {
  std::mt19937_64 generator(1);
  const Evidence evidence = probed_draw("original", generator);
  const auto left_out = [&](const std::vector<std::string>& metrics) {
    std::string sentences;
    for (const Skipped& skipped : audit(evidence, {.metrics = metrics}).skipped) {
      if (skipped.group == "returns") sentences += words::text(skipped.reason);
    }
    return sentences;
  };
  EXPECT_EQ(
      left_out({"utility"}),
      "left out by --metrics. The evidence has recovery tests, and the verdicts do not mention "
      "them: add returns to --metrics");
  EXPECT_EQ(left_out({"utility", "returns"}), "");
  EXPECT_EQ(left_out({"returns.share"}), "");
  EXPECT_NE(left_out({"returns.steps"}), "");
}

TEST(Additions, StandInReasonSentenceJsonAndGate) {
  std::mt19937_64 generator(1);
  const Evidence evidence = probed_draw("original", generator);
  const AuditResult result = audit(evidence, {.metrics = {"returns"}});
  const Verdict& verdict = result.verdicts.front();
  ASSERT_EQ(verdict.additions.size(), 1U);
  EXPECT_EQ(verdict.additions[0].word, "returns");
  EXPECT_EQ(verdict.additions[0].what, "again");
  EXPECT_GT(verdict.additions[0].lower, 0);
  EXPECT_NE(words::why(verdict).find("it recovers forgotten data under again ("), std::string::npos)
      << words::why(verdict);
  EXPECT_NE(words::sentence(verdict).find("it recovers forgotten data under again ("),
            std::string::npos);
  const Verdict back = report::verdict_of(report::verdict_json(verdict), report::kSchema);
  ASSERT_EQ(back.additions.size(), 1U);
  EXPECT_EQ(back.additions[0].words, "recovers forgotten data under");
  EXPECT_EQ(back.additions[0].value, verdict.additions[0].value);
  const practice::Policy policy = practice::policy_of_words({"returns", "under"});
  EXPECT_TRUE(practice::holds(policy.absent.front(), verdict));
  EXPECT_FALSE(practice::holds(policy.absent.front(), Verdict{}));
}

TEST(Additions, OverSplitsThoseOfMostAreKept) {
  const auto with = [](std::vector<std::pair<std::string, double>> list) {
    Verdict verdict;
    for (const auto& [what, value] : list) {
      verdict.additions.push_back({"returns.share", "returns", "returns under", what, value, 0, 1});
    }
    return verdict;
  };
  const Verdict first = with({{"int4", 0.4}, {"noise", 0.2}});
  const Verdict second = with({{"int4", 0.6}}), third = with({});
  const auto kept = pooled_additions({&first, &second, &third});
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0].what, "int4");
  EXPECT_NEAR(kept[0].value, 0.5, 1e-12);
  EXPECT_EQ(words::additions(kept),
            "it returns under int4 (0.50 of the original-retrained difference)");
  EXPECT_EQ(words::additions({}), "");
}

}  // namespace
}  // namespace vestige::audit
