// Results with hand-written numbers: two methods, one with traces, on evidence of quality B.
#pragma once

#include <string>

#include "vestige/report/results.h"

namespace vestige::testing {

inline metrics::Row synthetic_row(const std::string& metric, const std::string& method,
                                  double value, double lower, double upper, double retrained) {
  metrics::Row row;
  row.metric = metric;
  row.subject = {"unlearned", method, "0"};
  row.value = value;
  row.lower = lower;
  row.upper = upper;
  row.interval = result::Code::clopper_pearson;
  row.n = 100;
  row.reference = retrained;
  return row;
}

inline audit::VerdictTest synthetic_test(const std::string& metric, double estimate, bool core) {
  audit::VerdictTest test;
  test.metric = metric;
  test.difference.estimate = estimate;
  test.difference.lower = estimate - 0.01;
  test.difference.upper = estimate + 0.01;
  test.reference_difference = 0.1;
  test.margin = 0.025;
  test.retrained = 0;
  test.original = 0.1;
  test.core = core;
  return test;
}

/// "keeps" has traces and lost nothing; "loses" has no traces and lost 0.03 of accuracy on retain.
inline report::Results synthetic_results() {
  report::Results results;
  results.tool = {{"name", "vestige"}, {"version", "0.2.0"}, {"commit", "abc"}};
  results.run.command = "vestige audit evidence";
  results.run.started = "2026-11-16T06:21:24Z";
  results.run.seconds = 1.5;
  results.run.options = {{"verdict.margin", 0.25},
                         {"verdict.smallest_effect", 0.1},
                         {"verdict.utility_margin", 0.01},
                         {"verdict.likelihood_margin", 0.1}};
  results.run.selection = result::RunSelection{};
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
    verdict.word = keeps ? audit::Word::traces_remain : audit::Word::not_decided;
    verdict.under = keeps ? audit::Outcome::shown : audit::Outcome::excluded;
    verdict.over = audit::Outcome::excluded;
    verdict.utility_loss = keeps ? audit::Outcome::excluded : audit::Outcome::shown;
    verdict.tests = {synthetic_test("holdout_gap.probability", keeps ? 0.09 : 0.01, true),
                     synthetic_test("utility.accuracy.retain", keeps ? 0.0 : -0.03, false),
                     synthetic_test("utility.accuracy.test", 0.005, false)};
    results.verdicts.push_back(verdict);
    const double probability = keeps ? 0.10 : 0.02;
    results.rows.push_back({.variant = {},
                            .audit = {},
                            .row = synthetic_row("holdout_gap.probability", method, probability,
                                                 probability - 0.01, probability + 0.01, 0.01)});
    results.rows.push_back(
        {.variant = {},
         .audit = {},
         .row = synthetic_row("utility.accuracy.forget", method, keeps ? 1 : 0.9, 0.88, 1, 0.9)});
  }
  return results;
}

}  // namespace vestige::testing
