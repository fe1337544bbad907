// Policies: what is read, and every mistake that is refused with its remedy.
#include "vestige/practice/policy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "vestige/base/error.h"

namespace vestige::practice {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_policy(text, "policy.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

void expect_refused(const std::string& text, std::initializer_list<std::string_view> parts) {
  const std::string sentence = refusal(text);
  EXPECT_TRUE(sentence.starts_with("policy.toml")) << sentence;
  for (const std::string_view part : parts) {
    EXPECT_NE(sentence.find(part), std::string::npos) << part << " is missing in: " << sentence;
  }
}

TEST(Policy, ReadsEveryKey) {
  const Policy policy = parse_policy(R"(
title = "Before release"
grade = "B"
utility_loss = 0.02
likelihood_loss = 0.1
methods = ["finetune"]
exclude = ["identity"]
allow_left_out = ["broken"]
[verdicts]
absent = ["under", "TRACES_REMAIN", "returns"]
present = ["forgotten"]
margin = 0.2
smallest_effect = 0.05
utility_margin = 0.02
[warnings]
absent = ["W-ORDER"]
[requests]
traces = "fail"
undecided = "pass"
[[limit]]
metric = "utility.accuracy.test"
least = 0.8
by = "interval"
[[limit]]
metric = "holdout_gap.probability"
most = 0.02
of = "difference"
unreliable = "counts"
setting = { split = "forget" }
)",
                                     "policy.toml");
  EXPECT_EQ(policy.title, "Before release");
  EXPECT_EQ(policy.least_grade, 'B');
  EXPECT_EQ(policy.utility_loss, 0.02);
  EXPECT_EQ(policy.likelihood_loss, 0.1);
  EXPECT_EQ(policy.methods, std::vector<std::string>{"finetune"});
  EXPECT_EQ(policy.exclude, std::vector<std::string>{"identity"});
  EXPECT_EQ(policy.absent,
            (std::vector<Condition>{Shown::under, result::Word::traces_remain, "returns"}));
  EXPECT_EQ(policy.present, std::vector<Condition>{result::Word::forgotten});
  EXPECT_EQ(policy.warnings, std::vector<std::string>{"W-ORDER"});
  EXPECT_EQ(policy.requests, (RequestRules{.undecided_passes = true, .missing_passes = false}));
  EXPECT_EQ(policy.left_out, std::vector<std::string>{"broken"});
  EXPECT_EQ(policy.margins.margin, 0.2);
  EXPECT_EQ(policy.margins.smallest_effect, 0.05);
  EXPECT_EQ(policy.margins.utility_margin, 0.02);
  EXPECT_EQ(policy.margins.likelihood_margin, 0.1);  // the program's default
  ASSERT_EQ(policy.limits.size(), 2U);
  EXPECT_EQ(policy.limits[0].least, 0.8);
  EXPECT_FALSE(policy.limits[0].most);
  EXPECT_TRUE(policy.limits[0].whole_interval);
  EXPECT_TRUE(policy.limits[1].against_retrained);
  EXPECT_TRUE(policy.limits[1].unreliable_passes);
  EXPECT_EQ(policy.limits[1].setting["split"], "forget");
}

// By coreutils: printf '[verdicts]\nabsent = ["under"]\n' | sha256sum.
TEST(Policy, IsNamedByTheHashOfItsBytes) {
  EXPECT_EQ(parse_policy("[verdicts]\nabsent = [\"under\"]\n", "p").sha256,
            "967a8d53aa9f219e79bca54d0c9b51675363613da04445bad51cd3fabef9c737");
}

TEST(Policy, UnknownMetricVerdictAndKeyAreNamedWithTheNearest) {
  expect_refused("[[limit]]\nmetric = \"holdout_gap.probabilty\"\nmost = 1\n",
                 {"[[limit]] 1", "'holdout_gap.probabilty'", "holdout_gap.probability"});
  expect_refused("[verdicts]\nabsent = [\"undr\"]\n", {"[verdicts]", "'undr'", "'under'"});
  expect_refused("[verdict]\nabsent = [\"under\"]\n", {"'verdict'", "'verdicts'"});
  expect_refused("[warnings]\nabsent = [\"W-ODER\"]\n", {"'W-ODER'", "'W-ORDER'"});
  expect_refused("[verdicts]\nabsent = []\n", {"empty"});
  expect_refused("[verdicts]\nabsnt = [\"under\"]\n", {"'absnt'", "'absent'"});
}

// Names of earlier versions are refused with the present one.
TEST(Policy, EarlierNamesAreRefusedWithThePresentOne) {
  const auto absent = [](const std::string& name) {
    return "[verdicts]\nabsent = [\"" + name + "\"]\n";
  };
  expect_refused(absent("no verdict"), {"'no verdict' is now 'not_tested'"});
  expect_refused(absent("traces remain"), {"'traces remain' is now 'traces_remain'"});
  expect_refused(absent("TRACES REMAIN"), {"'TRACES REMAIN' is now 'traces_remain'"});
  expect_refused(absent("traces + over-forgotten"), {"is now 'mixed'"});
  expect_refused(absent("over-forgotten"), {"is now 'over_forgotten'"});
  expect_refused(absent("not decided"), {"is now 'not_decided'"});
  expect_refused(absent("inconclusive"), {"'inconclusive' is now 'undecided'"});
}

TEST(Policy, EveryConditionIsReadBackFromItsName) {
  for (const char* name : {"forgotten", "traces_remain", "over_forgotten", "mixed", "collapsed",
                           "not_decided", "not_tested", "under", "over", "utility", "undecided"}) {
    EXPECT_EQ(name_of(condition_named(name, "test")), name);
  }
}

TEST(Policy, ImpossibleThresholdsAreRefused) {
  const auto limit = [](const std::string& rest) {
    return "[[limit]]\nmetric = \"utility.accuracy.test\"\n" + rest + "\n";
  };
  // Accuracies lie between 0 and 1.
  expect_refused(limit("most = -0.1"), {"no value satisfies it", "between 0 and 1"});
  expect_refused(limit("least = 1.1"), {"no value satisfies it"});
  expect_refused(limit("most = 1"), {"every value satisfies it"});
  expect_refused(limit("least = 0"), {"every value satisfies it"});
  expect_refused(limit("least = 0.8\nmost = 0.7"), {"0.8 is above most = 0.7"});
  expect_refused(limit("most = nan"), {"finite"});
  expect_refused(limit(""), {"most, least or both"});
  // Differences of accuracies lie between -1 and 1.
  expect_refused(limit("most = 1\nof = \"difference\""),
                 {"every value satisfies it", "differences", "between -1 and 1"});
  expect_refused(limit("least = -1\nof = \"difference\""), {"every value satisfies it"});
  expect_refused("[[limit]]\nmost = 1\n", {"metric", "missing"});
  expect_refused("[limit]\nmetric = \"utility.accuracy.test\"\nmost = 0.5\n", {"[[limit]]"});
  expect_refused("utility_loss = -0.1\n", {"utility_loss", "from 0"});
  expect_refused("utility_loss = 1\n", {"utility_loss", "below 1"});
  expect_refused("grade = \"D\"\n", {"A, B or C"});
  for (const char* key : {"margin", "smallest_effect", "utility_margin"}) {
    expect_refused("[verdicts]\n" + std::string(key) + " = 1\n", {key, "between 0 and 1"});
    expect_refused("[verdicts]\n" + std::string(key) + " = nan\n", {key, "finite"});
  }
  expect_refused("[verdicts]\nlikelihood_margin = 100\n",
                 {"likelihood_margin", "between 0 and 100"});
  expect_refused("grade = \n", {"line 1"});
}

// A method with traces would pass all of these.
TEST(Policy, WithoutARuleAboutForgettingItIsRefused) {
  const std::vector<std::string> without = {
      "title = \"nothing\"\n",
      "grade = \"A\"\n",
      "utility_loss = 0.02\n",
      "[verdicts]\nmargin = 0.1\n",
      "[verdicts]\nabsent = [\"over\", \"utility\", \"undecided\", \"returns\"]\n",
      "[verdicts]\npresent = [\"forgotten\", \"traces_remain\"]\n",
      "[warnings]\nabsent = [\"any\"]\n",
      "[requests]\nmissing = \"pass\"\n",
      "[[limit]]\nmetric = \"utility.accuracy.test\"\nleast = 0.8\n"};
  for (const std::string& text : without) {
    expect_refused(text, {"no rule about forgetting", "present = [\"forgotten\"]"});
  }
  EXPECT_NO_THROW(parse_policy("[requests]\n", "p"));
  EXPECT_NO_THROW(parse_policy("[verdicts]\npresent = [\"forgotten\", \"not_decided\"]\n", "p"));
  EXPECT_NO_THROW(parse_policy("[verdicts]\nabsent = [\"traces_remain\"]\n", "p"));
  audit::Verdict mixed;
  mixed.word = result::Word::mixed;
  EXPECT_TRUE(breaks(result::Word::traces_remain, mixed)) << "MIXED has traces too";
  EXPECT_TRUE(breaks(result::Word::over_forgotten, mixed));
  EXPECT_FALSE(holds(result::Word::over_forgotten, mixed)) << "it does not count as present";
  // What shows no forgetting cannot be accepted.
  for (const char* word : {"mixed", "collapsed"}) {
    expect_refused(fmt::format("[verdicts]\npresent = [\"forgotten\", \"{}\"]\n", word),
                   {word, "cannot be accepted"});
  }
}

TEST(Policy, WhatCannotBeMeantIsRefused) {
  const std::string rule = "[verdicts]\npresent = [\"forgotten\"]\n";
  expect_refused("[verdicts]\npresent = [\"forgotten\", \"not_tested\"]\n",
                 {"not_tested cannot be accepted"});
  expect_refused("methods = [\"a\"]\nexclude = [\"b\", \"a\"]\n" + rule,
                 {"exclude names every one of methods"});
  expect_refused("margin = 0.1\n" + rule, {"margin", "[verdicts]"});
  expect_refused("methods = []\n" + rule, {"methods", "empty"});
  expect_refused("allow_left_out = []\n" + rule, {"allow_left_out", "empty"});
  expect_refused("[requests]\ntraces = \"pass\"\n", {"traces", "fail"});
  expect_refused("[requests]\nundecidd = \"pass\"\n", {"'undecidd'", "'undecided'"});
}

// The defaults of --verdict-margin and the others.
TEST(Policy, TheDefaultRequiresForgotten) {
  const Policy& policy = default_policy();
  EXPECT_EQ(policy.name, "default");
  EXPECT_EQ(policy.present, std::vector<Condition>{result::Word::forgotten});
  EXPECT_EQ(policy.requests, (RequestRules{.undecided_passes = false, .missing_passes = true}));
  EXPECT_EQ(policy.margins.margin, 0.25);
  EXPECT_EQ(policy.margins.smallest_effect, 0.1);
  EXPECT_EQ(policy.margins.utility_margin, 0.01);
  EXPECT_EQ(policy.margins.likelihood_margin, 0.1);
}

TEST(Policy, WordsOfFailOn) {
  EXPECT_EQ(policy_of_words({"under", "utility"}).absent.size(), 2U);
  EXPECT_THROW(policy_of_words({"over", "utility"}), InputError);
  try {
    policy_of_words({"utilty"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("Did you mean 'utility'"), std::string::npos);
  }
}

}  // namespace
}  // namespace vestige::practice
