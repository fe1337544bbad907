// The gate on results whose numbers were written by hand (made_up_results.h).
#include "vestige/practice/gate.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/practice/made_up_results.h"
#include "tests/support.h"
#include "tests/support/process.h"
#include "vestige/base/file.h"

namespace vestige::practice {
namespace {

using testing::made_up_results;

/// "keeps: rule" of every check that failed.
std::vector<std::string> failed(const report::Results& results, const std::string& policy) {
  std::vector<std::string> names;
  const Gate outcome = gate(results, parse_policy(policy, "policy.toml"));
  for (const Check& check : outcome.checks) {
    if (!check.passed) names.push_back(check.method + ": " + check.rule);
  }
  EXPECT_EQ(outcome.passed(), names.empty());
  return names;
}

using Names = std::vector<std::string>;

TEST(Gate, VerdictsThatMustBeAbsentOrPresent) {
  const report::Results results = made_up_results();
  EXPECT_EQ(failed(results, "[verdicts]\nabsent = [\"under\"]\n"),
            Names{"keeps: no verdict under"});
  EXPECT_EQ(failed(results, "[verdicts]\nabsent = [\"utility\", \"inconclusive\"]\n"),
            (Names{"loses: no verdict utility", "loses: no verdict inconclusive"}));
  EXPECT_EQ(failed(results, "[verdicts]\nabsent = [\"over\"]\n"), Names{});
  EXPECT_EQ(failed(results, "[verdicts]\npresent = [\"forgotten\", \"not decided\"]\n"),
            Names{"keeps: verdict forgotten or not decided"});
  EXPECT_EQ(failed(results, "exclude = [\"keeps\"]\n[verdicts]\nabsent = [\"under\"]\n"), Names{});
}

// retain lost 0.03 under "loses", 0 under "keeps".
TEST(Gate, UtilityLoss) {
  EXPECT_EQ(failed(made_up_results(), "utility_loss = 0.02\n"),
            Names{"loses: utility loss at most 0.02"});
  EXPECT_EQ(failed(made_up_results(), "utility_loss = 0.03\n"), Names{});
}

// yardstick.probability: keeps 0.10 [0.09, 0.11], loses 0.02 [0.01, 0.03], retrained 0.01.
TEST(Gate, LimitsOnValuesDifferencesAndIntervals) {
  const auto limit = [](const std::string& rest) {
    return "[[limit]]\nmetric = \"yardstick.probability\"\n" + rest + "\n";
  };
  EXPECT_EQ(failed(made_up_results(), limit("most = 0.05")),
            Names{"keeps: yardstick.probability at most 0.05"});
  EXPECT_EQ(failed(made_up_results(), limit("most = 0.1")), Names{});
  EXPECT_EQ(failed(made_up_results(), limit("most = 0.1\nby = \"interval\"")),
            Names{"keeps: yardstick.probability at most 0.1 by its interval"});
  EXPECT_EQ(failed(made_up_results(), limit("least = 0.05\nof = \"difference\"")),
            Names{"loses: yardstick.probability minus retrained's at least 0.05"});
  EXPECT_EQ(failed(made_up_results(), limit("most = 0.05\nsetting = { split = \"x\" }")).size(),
            2U);
}

TEST(Gate, GradeAndWarnings) {
  EXPECT_EQ(failed(made_up_results(), "grade = \"B\"\n"), Names{});
  EXPECT_EQ(failed(made_up_results(), "grade = \"A\"\n"), Names{": grade of evidence at least A"});
  EXPECT_EQ(failed(made_up_results(), "[warnings]\nabsent = [\"W-COLLAPSED\"]\n"), Names{});
  EXPECT_EQ(failed(made_up_results(), "[warnings]\nabsent = [\"W-ORDER\", \"any\"]\n"),
            (Names{": no finding W-ORDER", ": no warning"}));
}

// Whatever was not measured has failed.
TEST(Gate, WhatCannotBeCheckedFails) {
  report::Results results = made_up_results();
  EXPECT_EQ(failed(results, "likelihood_loss = 0.1\n").size(), 2U);
  EXPECT_EQ(failed(results, "[requests]\ntraces = \"fail\"\n"), Names{": no request with traces"});
  EXPECT_EQ(failed(results, "methods = [\"gone\"]\n[verdicts]\nabsent = [\"under\"]\n"),
            Names{"gone: the method is there"});
  EXPECT_EQ(failed(results, "[[limit]]\nmetric = \"epsilon.f_score\"\nleast = 0.1\n").size(), 2U);
  // One method alone lacks the row, or it is undefined or unreliable.
  const std::string policy = "[[limit]]\nmetric = \"yardstick.probability\"\nmost = 0.5\n";
  EXPECT_EQ(failed(results, policy), Names{});
  results.rows[0].row.value = metrics::kUndefined;
  results.rows[2].row.status = metrics::Status::unreliable;
  EXPECT_EQ(failed(results, policy).size(), 2U);
  EXPECT_EQ(failed(results, policy + "unreliable = \"counts\"\n"),
            Names{"keeps: yardstick.probability at most 0.5"});
  results.rows.erase(results.rows.begin());
  EXPECT_EQ(failed(results, policy + "unreliable = \"counts\"\n"),
            Names{"keeps: yardstick.probability at most 0.5"});
  results.verdicts.clear();
  results.rows.clear();
  EXPECT_EQ(failed(results, "[verdicts]\nabsent = [\"under\"]\n"), Names{": there is a method"});
}

TEST(Gate, RequestsWithTracesFail) {
  report::Results results = made_up_results();
  results.requests = {
      {"methods",
       Json::array(
           {{{"method", "keeps"},
             {"requests", Json::array({{{"request", "r1"}, {"word", "TRACES REMAIN"}},
                                       {{"request", "r2"}, {"word", "NO TRACE SHOWN"}}})}},
            {{"method", "loses"},
             {"requests", Json::array({{{"request", "r1"}, {"word", "CANNOT BE DECIDED"}}})}}})}};
  EXPECT_EQ(failed(results, "[requests]\ntraces = \"fail\"\n"),
            Names{"keeps: no request with traces"});
}

TEST(Gate, MarkdownShowsFailuresFirst) {
  const Gate outcome =
      gate(made_up_results(), parse_policy("[verdicts]\nabsent = [\"utility\"]\n", "p.toml"));
  const std::string text = gate_markdown(outcome, made_up_results());
  EXPECT_LT(text.find("| **FAIL** | loses |"), text.find("| pass | keeps |"));
  EXPECT_NE(text.find("1 of 2 checks failed"), std::string::npos);
  EXPECT_NE(text.find(outcome.sha256), std::string::npos);
}

// By xmllint and a grammar of what Jenkins and Ant's readers take, also with names from hell.
TEST(Gate, JUnitXmlIsValid) {
  const std::string xmllint = "/usr/bin/xmllint";
  if (!std::filesystem::exists(xmllint)) GTEST_SKIP() << "xmllint is not installed";
  report::Results results = made_up_results();
  results.verdicts[0].method = "a<b>&\"'\x01\xff]]>\xef\xbf\xbf";
  const Policy policy = parse_policy(
      "title = \"<&>\"\ngrade = \"A\"\nutility_loss = 0.02\n[verdicts]\nabsent = [\"under\"]\n",
      "p.toml");
  const Gate outcome = gate(results, policy);
  const testing::TemporaryFolder folder;
  const std::string file = (folder / "junit.xml").string();
  const auto valid = [&](const std::string& text) {
    write_file(file, text);
    return testing::run_program(
        xmllint,
        {"--noout", "--relaxng", VESTIGE_SOURCE_DIR "/tests/reference/junit/junit.rng", file});
  };
  const std::string text = gate_junit(outcome, results);
  const testing::Finished finished = valid(text);
  EXPECT_EQ(finished.code, 0) << finished.err << text;
  EXPECT_NE(text.find("tests=\"5\" failures=\"3\""), std::string::npos) << text;
  // The grammar itself sees a mistake.
  std::string spoilt = text;
  spoilt.replace(spoilt.find(" time="), 6, " tyme=");
  EXPECT_NE(valid(spoilt).code, 0);
}

}  // namespace
}  // namespace vestige::practice
