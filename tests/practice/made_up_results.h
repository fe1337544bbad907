// Results with hand-written numbers: two methods, of which one remembers, on evidence of grade B.
#pragma once

#include <string>

#include "vestige/report/results.h"

namespace vestige::testing {

inline metrics::Row made_up_row(const std::string& metric, const std::string& method, double value,
                                double lower, double upper, double retrained) {
  metrics::Row row;
  row.metric = metric;
  row.subject = {"unlearned", method, "0"};
  row.value = value;
  row.lower = lower;
  row.upper = upper;
  row.interval = "made up 95 %";
  row.n = 100;
  row.reference = retrained;
  return row;
}

inline audit::VerdictTest made_up_test(const std::string& metric, double estimate, bool core) {
  audit::VerdictTest test;
  test.metric = metric;
  test.difference.estimate = estimate;
  test.difference.lower = estimate - 0.01;
  test.difference.upper = estimate + 0.01;
  test.room = 0.1;
  test.margin = 0.025;
  test.retrained = 0;
  test.original = 0.1;
  test.core = core;
  return test;
}

/// "keeps" has traces and lost nothing; "loses" has no traces and lost 0.03 of accuracy on retain.
inline report::Results made_up_results() {
  report::Results results;
  results.tool = {{"name", "vestige"}, {"version", "0.2.0"}, {"commit", "abc"}};
  results.run.command = "vestige audit evidence";
  results.run.started = "2026-11-16T06:21:24Z";
  results.run.seconds = 1.5;
  results.run.selection = {{"metrics", Json::array()},
                           {"methods", Json::array()},
                           {"exclude", Json::array()},
                           {"keep_going", false}};
  results.evidence = {{"path", "evidence"},
                      {"grade", "B"},
                      {"grade_reason", "one retrained model"},
                      {"checks", Json::array({{{"severity", "warning"},
                                               {"code", "W-ORDER"},
                                               {"file", "x.npy"},
                                               {"model", ""},
                                               {"text", "x.npy is probably in another order"}}})}};
  results.inputs = Json::array({{{"path", "a.npy"}, {"sha256", "11"}, {"shape", {1}}},
                                {{"path", "b.npy"}, {"sha256", "22"}, {"shape", {2}}}});
  for (const bool keeps : {true, false}) {
    const std::string method = keeps ? "keeps" : "loses";
    audit::Verdict verdict;
    verdict.method = method;
    verdict.subject = {"unlearned", method, {}};
    verdict.word = keeps ? audit::Word::traces : audit::Word::not_decided;
    verdict.under = keeps ? audit::Shown::shown : audit::Shown::not_shown;
    verdict.over = audit::Shown::not_shown;
    verdict.utility_loss = keeps ? audit::Shown::not_shown : audit::Shown::shown;
    verdict.reason = "made up";
    verdict.tests = {made_up_test("yardstick.probability", keeps ? 0.09 : 0.01, true),
                     made_up_test("utility.accuracy.retain", keeps ? 0.0 : -0.03, false),
                     made_up_test("utility.accuracy.test", 0.005, false)};
    results.verdicts.push_back(verdict);
    const double probability = keeps ? 0.10 : 0.02;
    results.rows.push_back({.arm = {},
                            .audit = {},
                            .row = made_up_row("yardstick.probability", method, probability,
                                               probability - 0.01, probability + 0.01, 0.01)});
    results.rows.push_back(
        {.arm = {},
         .audit = {},
         .row = made_up_row("utility.accuracy.forget", method, keeps ? 1 : 0.9, 0.88, 1, 0.9)});
  }
  return results;
}

}  // namespace vestige::testing
