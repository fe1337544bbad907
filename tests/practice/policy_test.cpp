// Policies: what is read, and every mistake that is refused with its remedy.
#include "vestige/practice/policy.h"

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
[verdicts]
absent = ["under", "TRACES REMAIN"]
present = ["forgotten"]
[warnings]
absent = ["W-ORDER"]
[requests]
traces = "fail"
[[limit]]
metric = "utility.accuracy.test"
least = 0.8
by = "interval"
[[limit]]
metric = "yardstick.probability"
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
  ASSERT_EQ(policy.absent.size(), 2U);
  EXPECT_EQ(policy.absent[1].word, "traces remain");
  EXPECT_EQ(policy.present.at(0).word, "forgotten");
  EXPECT_EQ(policy.warnings, std::vector<std::string>{"W-ORDER"});
  EXPECT_EQ(policy.requests, true);
  ASSERT_EQ(policy.limits.size(), 2U);
  EXPECT_EQ(policy.limits[0].least, 0.8);
  EXPECT_FALSE(policy.limits[0].most);
  EXPECT_TRUE(policy.limits[0].whole_interval);
  EXPECT_TRUE(policy.limits[1].against_retrained);
  EXPECT_TRUE(policy.limits[1].unreliable_passes);
  EXPECT_EQ(policy.limits[1].setting["split"], "forget");
}

// By coreutils: printf 'grade = "A"\n' | sha256sum.
TEST(Policy, IsNamedByTheHashOfItsBytes) {
  EXPECT_EQ(parse_policy("grade = \"A\"\n", "p").sha256,
            "fe6365c10a1cd384cb454b682d7a243c8d69704b61c6bb0816b47cfd40479d6f");
}

TEST(Policy, UnknownMetricVerdictAndKeyAreNamedWithTheNearest) {
  expect_refused("[[limit]]\nmetric = \"yardstick.probabilty\"\nmost = 1\n",
                 {"[[limit]] 1", "'yardstick.probabilty'", "yardstick.probability"});
  expect_refused("[verdicts]\nabsent = [\"undr\"]\n", {"[verdicts]", "'undr'", "'under'"});
  expect_refused("[verdict]\nabsent = [\"under\"]\n", {"'verdict'", "'verdicts'"});
  expect_refused("[warnings]\nabsent = [\"W-ODER\"]\n", {"'W-ODER'", "'W-ORDER'"});
  expect_refused("[verdicts]\nabsent = []\n", {"empty"});
  expect_refused("[verdicts]\nabsnt = [\"under\"]\n", {"'absnt'", "'absent'"});
}

TEST(Policy, ImpossibleThresholdsAreRefused) {
  const auto limit = [](const std::string& rest) {
    return "[[limit]]\nmetric = \"utility.accuracy.test\"\n" + rest + "\n";
  };
  // Accuracies lie between 0 and 1.
  expect_refused(limit("most = -0.1"), {"no value can keep it", "between 0 and 1"});
  expect_refused(limit("least = 1.1"), {"no value can keep it"});
  expect_refused(limit("most = 1"), {"every value keeps it"});
  expect_refused(limit("least = 0"), {"every value keeps it"});
  expect_refused(limit("least = 0.8\nmost = 0.7"), {"0.8 is above most = 0.7"});
  expect_refused(limit("most = nan"), {"finite"});
  expect_refused(limit(""), {"most, least or both"});
  expect_refused("[[limit]]\nmost = 1\n", {"metric", "missing"});
  expect_refused("[limit]\nmetric = \"utility.accuracy.test\"\nmost = 0.5\n", {"[[limit]]"});
  expect_refused("utility_loss = -0.1\n", {"utility_loss", "from 0"});
  expect_refused("utility_loss = 1\n", {"utility_loss", "below 1"});
  expect_refused("grade = \"D\"\n", {"A, B or C"});
  expect_refused("title = \"nothing\"\n", {"no rule"});
  expect_refused("grade = \n", {"line 1"});
}

TEST(Policy, WordsOfFailOn) {
  EXPECT_EQ(policy_of_words({"under", "utility"}).absent.size(), 2U);
  try {
    policy_of_words({"utilty"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'utility'"), std::string::npos);
  }
}

}  // namespace
}  // namespace vestige::practice
