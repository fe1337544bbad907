// Policies on results whose numbers were written by hand (synthetic_results.h).
#include "vestige/practice/gate.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/practice/synthetic_results.h"
#include "tests/support.h"
#include "tests/support/process.h"
#include "vestige/base/error.h"
#include "vestige/base/file.h"
#include "vestige/result/codec.h"

namespace vestige::practice {
namespace {

using result::Code;
using result::reason;
/// Method and rule of a check that failed.
using Failure = std::pair<std::string, result::Reason>;
using Failures = std::vector<Failure>;

/// A rule about forgetting that both synthetic methods keep, for policies that are about others.
const std::string kKept = "[[limit]]\nmetric = \"holdout_gap.probability\"\nmost = 0.5\n";

/// The synthetic methods beside an original whose gap is 0.6.
report::Results with_original() {
  report::Results results = testing::synthetic_results();
  results.rows.push_back(
      {.variant = {},
       .audit = {},
       .row = testing::synthetic_row("holdout_gap.probability", "", 0.6, 0.59, 0.61, 0.01)});
  results.rows.back().row.subject = {"original", "", "0"};
  results.rows.back().row.control = metrics::Control::original;
  return results;
}

Failures failed(const report::Results& results, const std::string& policy) {
  Failures found;
  const Gate outcome = gate(results, parse_policy(policy, "policy.toml"));
  for (const PolicyCheck& check : outcome.checks) {
    if (!check.passed) found.emplace_back(check.method, check.rule);
    EXPECT_FALSE(check.findings.empty());
  }
  EXPECT_EQ(outcome.passed, found.empty());
  EXPECT_EQ(outcome.failures(), found.size());
  return found;
}

result::Reason not_verdict(const char* condition) {
  return reason(Code::rule_verdict_not, condition);
}

TEST(Gate, VerdictsThatMustBeAbsentOrPresent) {
  const report::Results results = with_original();
  EXPECT_EQ(failed(results, "[verdicts]\nabsent = [\"under\"]\n"),
            (Failures{{"keeps", not_verdict("under")}}));
  EXPECT_EQ(failed(results, "[verdicts]\nabsent = [\"utility\", \"undecided\"]\n" + kKept),
            (Failures{{"loses", not_verdict("utility")}, {"loses", not_verdict("undecided")}}));
  EXPECT_EQ(failed(results, "[verdicts]\nabsent = [\"over\"]\n" + kKept), Failures{});
  EXPECT_EQ(failed(results, "[verdicts]\nabsent = [\"traces_remain\"]\n"),
            (Failures{{"keeps", not_verdict("traces_remain")}}));
  const std::vector<std::string> wanted = {"forgotten", "not_decided"};
  EXPECT_EQ(failed(results, "[verdicts]\npresent = [\"forgotten\", \"not_decided\"]\n"),
            (Failures{{"keeps", reason(Code::rule_verdict_one_of, wanted)}}));
  EXPECT_EQ(failed(results, "exclude = [\"keeps\"]\n[verdicts]\nabsent = [\"under\"]\n"),
            Failures{});
}

// What was found is stated with the names that policies use.
TEST(Gate, FindingsNameTheVerdictAndTheOutcome) {
  const Gate outcome =
      gate(with_original(), parse_policy("[verdicts]\nabsent = [\"under\"]\n", "p"));
  // After the checks of models that were left out, and of margins.
  ASSERT_EQ(outcome.checks.size(), 4U);
  EXPECT_EQ(outcome.checks[2].findings.at(0),
            reason(Code::found_answer, "traces_remain", "under", "shown"));
  EXPECT_EQ(outcome.checks[3].findings.at(0),
            reason(Code::found_answer, "not_decided", "under", "excluded"));
}

// retain lost 0.03 under "loses", 0 under "keeps".
TEST(Gate, UtilityLoss) {
  EXPECT_EQ(failed(with_original(), "utility_loss = 0.02\n" + kKept),
            (Failures{{"loses", reason(Code::rule_accuracy_loss, 0.02)}}));
  EXPECT_EQ(failed(with_original(), "utility_loss = 0.03\n" + kKept), Failures{});
  // Both retain and test must have been tested.
  for (const std::ptrdiff_t test : {1, 2}) {
    report::Results results = with_original();
    results.verdicts[0].tests.erase(results.verdicts[0].tests.begin() + test);
    EXPECT_EQ(failed(results, "utility_loss = 0.03\n" + kKept),
              (Failures{{"keeps", reason(Code::rule_accuracy_loss, 0.03)}}));
  }
}

// holdout_gap.probability: keeps 0.10 [0.09, 0.11], loses 0.02 [0.01, 0.03], retrained 0.01.
TEST(Gate, LimitsOnValuesDifferencesAndIntervals) {
  const std::string metric = "holdout_gap.probability";
  const auto limit = [&](const std::string& rest) {
    return "[[limit]]\nmetric = \"" + metric + "\"\n" + rest + "\n";
  };
  EXPECT_EQ(failed(with_original(), limit("most = 0.05")),
            (Failures{{"keeps", reason(Code::rule_at_most, metric, false, false, 0.05)}}));
  EXPECT_EQ(failed(with_original(), limit("most = 0.1")), Failures{});
  EXPECT_EQ(failed(with_original(), limit("most = 0.1\nby = \"interval\"")),
            (Failures{{"keeps", reason(Code::rule_at_most, metric, false, true, 0.1)}}));
  EXPECT_EQ(failed(with_original(), limit("least = 0.05\nof = \"difference\"")),
            (Failures{{"loses", reason(Code::rule_at_least, metric, true, false, 0.05)},
                      {"", Code::rule_limits_inform}}));
  EXPECT_EQ(failed(with_original(), limit("least = 0.05\nmost = 0.2")),
            (Failures{{"loses", reason(Code::rule_between, metric, false, false, 0.05, 0.2)}}));
  EXPECT_EQ(failed(with_original(), limit("most = 0.05\nsetting = { split = \"x\" }")).size(), 3U)
      << "two methods and the original";
}

// The original has 0.6: a limit of 0.7 cannot show forgetting, one of 0.5 can.
TEST(Gate, LimitsThatAnOriginalSatisfiesShowNoForgetting) {
  report::Results results = with_original();
  const std::string limit = "[[limit]]\nmetric = \"holdout_gap.probability\"\nmost = ";
  const Failures uninformative = {{"", Code::rule_limits_inform}};
  EXPECT_EQ(failed(results, limit + "0.5\n"), Failures{});
  EXPECT_EQ(failed(results, limit + "0.7\n"), uninformative);
  // One of two is enough, and beside a rule on verdicts limits may be as wide as one likes.
  EXPECT_EQ(failed(results, limit + "0.7\n" + limit + "0.5\n"), Failures{});
  EXPECT_EQ(failed(results, limit + "0.7\n[verdicts]\nabsent = [\"under\"]\n"),
            (Failures{{"keeps", not_verdict("under")}}));
  // A second original that satisfies the limit.
  results.rows.push_back(results.rows.back());
  results.rows.back().row.subject = {"original", "", "1"};
  results.rows.back().row.value = 0.4;
  EXPECT_EQ(failed(results, limit + "0.5\n"), uninformative);
  EXPECT_EQ(failed(results, limit + "0.3\n"), Failures{});
}

// Without a usable value of an original nobody knows whether the limit can be broken.
TEST(Gate, LimitsWithoutAValueOfTheOriginalAreNotTested) {
  const auto finding = [](const report::Results& results) {
    return gate(results, parse_policy(kKept, "policy.toml")).checks.back();
  };
  const std::vector<std::string> metric = {"holdout_gap.probability"};
  const result::Reason not_tested = reason(Code::found_no_original_value, metric);
  report::Results results = with_original();
  EXPECT_TRUE(finding(results).passed);
  results.rows.back().row.status = metrics::Status::unreliable;
  EXPECT_FALSE(finding(results).passed);
  EXPECT_EQ(finding(results).findings.at(0), not_tested);
  EXPECT_EQ(failed(results, kKept + "unreliable = \"counts\"\n"), Failures{});
  results.rows.back().row.value = metrics::kUndefined;
  EXPECT_EQ(finding(results).findings.at(0), not_tested);
  results.rows.pop_back();
  EXPECT_EQ(finding(results).findings.at(0), not_tested);
  EXPECT_EQ(failed(results, kKept), (Failures{{"", Code::rule_limits_inform}}));
}

TEST(Gate, QualityAndWarnings) {
  EXPECT_EQ(failed(with_original(), "grade = \"B\"\n" + kKept), Failures{});
  EXPECT_EQ(failed(with_original(), "grade = \"A\"\n" + kKept),
            (Failures{{"", reason(Code::rule_quality, "A")}}));
  EXPECT_EQ(failed(with_original(), "[warnings]\nabsent = [\"W-COLLAPSED\"]\n" + kKept),
            Failures{});
  EXPECT_EQ(
      failed(with_original(), "[warnings]\nabsent = [\"W-ORDER\", \"any\"]\n" + kKept),
      (Failures{{"", reason(Code::rule_no_finding, "W-ORDER")}, {"", Code::rule_no_warning}}));
}

// Whatever was not measured has failed.
TEST(Gate, WhatCannotBeCheckedFails) {
  report::Results results = with_original();
  EXPECT_EQ(failed(results, "likelihood_loss = 0.1\n" + kKept).size(), 2U);
  EXPECT_EQ(failed(results, "[requests]\ntraces = \"fail\"\n"),
            (Failures{{"", Code::rule_no_request_traces}}));
  EXPECT_EQ(failed(results, "methods = [\"gone\"]\n[verdicts]\nabsent = [\"under\"]\n"),
            (Failures{{"gone", Code::rule_method_present}}));
  EXPECT_EQ(failed(results, "[[limit]]\nmetric = \"epsilon.f_score\"\nleast = 0.1\n").size(), 3U)
      << "two methods and the original";
  // One method alone lacks the row, or it is undefined or unreliable.
  const std::string policy = "[[limit]]\nmetric = \"holdout_gap.probability\"\nmost = 0.5\n";
  const Failures of_keeps = {
      {"keeps", reason(Code::rule_at_most, "holdout_gap.probability", false, false, 0.5)}};
  EXPECT_EQ(failed(results, policy), Failures{});
  results.rows[0].row.value = metrics::kUndefined;
  results.rows[2].row.status = metrics::Status::unreliable;
  EXPECT_EQ(failed(results, policy).size(), 2U);
  EXPECT_EQ(failed(results, policy + "unreliable = \"counts\"\n"), of_keeps);
  results.rows.erase(results.rows.begin());
  EXPECT_EQ(failed(results, policy + "unreliable = \"counts\"\n"), of_keeps);
  results.verdicts.clear();
  results.rows.clear();
  EXPECT_EQ(failed(results, "[verdicts]\nabsent = [\"under\"]\n"),
            (Failures{{"", Code::rule_some_method}}));
}

TEST(Gate, RequestsWithTracesFail) {
  using result::RequestWord;
  report::Results results = with_original();
  const auto request = [](const char* name, RequestWord word) {
    result::RequestVerdict verdict;
    verdict.request = name;
    verdict.word = word;
    return verdict;
  };
  result::MethodRequests keeps{.method = "keeps"}, loses{.method = "loses"};
  keeps.requests = {request("r1", RequestWord::traces_remain),
                    request("r2", RequestWord::no_trace_detected)};
  loses.requests = {request("r1", RequestWord::not_decided)};
  results.requests.emplace().methods = {keeps, loses};
  const std::string policy = "[requests]\ntraces = \"fail\"\n";
  // "loses" has a request that is not decided.
  EXPECT_EQ(failed(results, policy), (Failures{{"keeps", Code::rule_no_request_traces},
                                               {"loses", Code::rule_requests_decided}}));
  EXPECT_EQ(failed(results, policy + "undecided = \"pass\"\n"),
            (Failures{{"keeps", Code::rule_no_request_traces}}));
  const Gate outcome = gate(results, parse_policy(policy, "p.toml"));
  const auto found = [&](std::size_t place) { return outcome.checks.at(place).findings.at(0); };
  EXPECT_EQ(found(2), reason(Code::found_requests, 1, 2, 0, "r1"));
  EXPECT_EQ(found(3), reason(Code::found_requests_decided, 2, 2));
  EXPECT_EQ(found(4), reason(Code::found_requests, 0, 1, 0, ""));
  EXPECT_EQ(found(5), reason(Code::found_requests_decided, 0, 1));
  // What was not tested fails whatever the policy accepts; so does a method without requests.
  results.requests->methods[1].requests[0].word = RequestWord::not_tested;
  EXPECT_EQ(failed(results, policy + "undecided = \"pass\"\n").size(), 2U);
  results.requests->methods.pop_back();
  EXPECT_EQ(failed(results, policy).size(), 2U);
  results.requests.reset();
  EXPECT_EQ(failed(results, policy).size(), 1U);
  EXPECT_EQ(failed(results, policy + "missing = \"pass\"\n" + kKept), Failures{});
}

// Evidence without retrained models: nothing was tested, so that no condition is met.
TEST(Gate, WhatWasNotTestedFailsEveryRuleOnVerdicts) {
  report::Results results = with_original();
  for (audit::Verdict& verdict : results.verdicts) {
    verdict.word = audit::Word::not_tested;
    verdict.under = verdict.over = verdict.utility_loss = audit::Outcome::not_tested;
  }
  EXPECT_EQ(gate(results, policy_of_words({"under", "over", "utility"})).failures(), 6U);
  EXPECT_EQ(gate(results, policy_of_words({"traces_remain"})).failures(), 2U);
  EXPECT_EQ(failed(results, "[verdicts]\npresent = [\"forgotten\", \"undecided\"]\n").size(), 2U);
  EXPECT_FALSE(gate(results, default_policy()).passed);
  // One question alone was not tested.
  results = with_original();
  results.verdicts[1].over = audit::Outcome::not_tested;
  EXPECT_EQ(failed(results, "methods = [\"loses\"]\n[verdicts]\nabsent = [\"under\", \"over\"]\n"),
            (Failures{{"loses", not_verdict("over")}}));
  // Undecided is tested: it passes unless it is named.
  results.verdicts[1].over = audit::Outcome::undecided;
  EXPECT_EQ(failed(results, "methods = [\"loses\"]\n[verdicts]\nabsent = [\"under\", \"over\"]\n"),
            Failures{});
}

// Larger margins than the policy's, by default the program's 0.25, 0.1, 0.01 and 0.1, fail.
TEST(Gate, LaxerMarginsFail) {
  const result::Reason rule = reason(Code::rule_margins, 0.25, 0.1, 0.01, 0.1);
  for (const char* key : {"margin", "smallest_effect", "utility_margin", "likelihood_margin"}) {
    report::Results results = with_original();
    results.run.options[std::string("verdict.") + key] = 0.9;
    EXPECT_EQ(failed(results, kKept), (Failures{{"", rule}}));
    EXPECT_EQ(failed(results, "[verdicts]\n" + std::string(key) + " = 0.95\n" + kKept), Failures{});
    results.run.options.erase(std::string("verdict.") + key);
    EXPECT_EQ(failed(results, kKept), (Failures{{"", rule}}));
  }
  EXPECT_EQ(failed(with_original(), "[verdicts]\nmargin = 0.1\n" + kKept),
            (Failures{{"", reason(Code::rule_margins, 0.1, 0.1, 0.01, 0.1)}}));
  // A verdict that says another margin than the options.
  report::Results results = with_original();
  results.verdicts[0].margin = 0.9;
  EXPECT_EQ(failed(results, kKept), (Failures{{"", rule}}));
  const Gate outcome = gate(results, parse_policy(kKept, "p"));
  EXPECT_EQ(outcome.checks.at(1).findings.at(0),
            reason(Code::found_margin_above, "margin", 0.9, 0.25));
  EXPECT_NE(gate_text(gate(with_original(), parse_policy(kKept, "p"))).find("margin 0.25,"),
            std::string::npos);
}

TEST(Gate, ModelsThatWereLeftOutFailUnlessNamed) {
  report::Results results = with_original();
  results.evidence["checks"].push_back({{"severity", "warning"},
                                        {"code", "W-LEFT-OUT"},
                                        {"file", "x.npy"},
                                        {"model", "unlearned/broken/0"},
                                        {"text", "unlearned/broken/0 is left out"}});
  const auto rule = [](std::vector<std::string> allowed) {
    return reason(Code::rule_no_model_left_out, std::move(allowed));
  };
  EXPECT_EQ(failed(results, kKept), (Failures{{"", rule({})}}));
  for (const char* name : {"broken", "unlearned/broken", "unlearned/broken/0"}) {
    EXPECT_EQ(failed(results, "allow_left_out = [\"" + std::string(name) + "\"]\n" + kKept),
              Failures{});
  }
  for (const char* name : {"other", "brok", "unlearned/broken/1"}) {
    EXPECT_EQ(failed(results, "allow_left_out = [\"" + std::string(name) + "\"]\n" + kKept),
              (Failures{{"", rule({name})}}));
  }
  // Results that list no findings do not say whether a model was left out.
  results.evidence.erase("checks");
  EXPECT_EQ(failed(results, kKept), (Failures{{"", rule({})}}));
}

TEST(Gate, APolicyThatLeavesNoMethodIsRefused) {
  const Policy policy = parse_policy("exclude = [\"keeps\", \"loses\"]\n" + kKept, "p.toml");
  try {
    gate(with_original(), policy);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "p.toml: exclude leaves no method to check: there are keeps, loses");
  }
}

TEST(Gate, TheDefaultPolicyAcceptsForgottenAlone) {
  using result::Word;
  report::Results results = with_original();
  results.verdicts.resize(1);
  using result::Outcome;
  audit::Verdict& only = results.verdicts[0];
  only.under = only.over = only.utility_loss = Outcome::excluded;
  only.equivalent = Outcome::undecided;
  only.word = Word::forgotten;
  EXPECT_FALSE(gate(results, default_policy()).passed) << "the word does not follow";
  only.equivalent = Outcome::shown;
  for (const auto& [word, name] : result::Names<Word>::list) {
    results.verdicts[0].word = word;
    EXPECT_EQ(gate(results, default_policy()).passed, word == Word::forgotten) << name;
  }
  // Where there are requests, they are decided.
  results.verdicts[0].word = Word::forgotten;
  result::MethodRequests requests{.method = "keeps"};
  requests.requests.emplace_back().word = result::RequestWord::not_decided;
  results.requests.emplace().methods = {requests};
  EXPECT_FALSE(gate(results, default_policy()).passed);
}

TEST(Gate, JsonIsReadBack) {
  const Gate outcome = gate(
      with_original(),
      parse_policy("grade = \"A\"\nutility_loss = 0.02\n[verdicts]\nabsent = [\"under\"]\n", "p"));
  const Json json = gate_json(outcome);
  EXPECT_EQ(gate_json(result::from_json<Gate>(json)), json);
  EXPECT_EQ(json["passed"], false);
}

TEST(Gate, MarkdownShowsFailuresFirst) {
  const Gate outcome =
      gate(with_original(), parse_policy("[verdicts]\nabsent = [\"utility\"]\n" + kKept, "p.toml"));
  const std::string text = gate_markdown(outcome, with_original());
  EXPECT_LT(text.find("| **FAIL** | loses |"), text.find("| pass | keeps |"));
  EXPECT_NE(text.find("policy failed: 1 of 7 checks failed"), std::string::npos) << text;
  EXPECT_NE(text.find(outcome.sha256), std::string::npos);
}

// By xmllint and a grammar of what Jenkins and Ant's readers take, also with names from hell.
TEST(Gate, JUnitXmlIsValid) {
  const std::string xmllint = "/usr/bin/xmllint";
  if (!std::filesystem::exists(xmllint)) GTEST_SKIP() << "xmllint is not installed";
  report::Results results = with_original();
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
  EXPECT_NE(text.find("tests=\"7\" failures=\"3\""), std::string::npos) << text;
  // The grammar itself sees a mistake.
  std::string spoilt = text;
  spoilt.replace(spoilt.find(" time="), 6, " tyme=");
  EXPECT_NE(valid(spoilt).code, 0);
}

}  // namespace
}  // namespace vestige::practice
